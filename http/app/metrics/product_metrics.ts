/**
 * Metrics of the work for tenants: sends, deliveries, and response times of providers and receivers. Labels come from
 * closed sets; none names a tenant.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import {
  type BulkRate,
  type ChannelOptions,
  carrierOf,
  type ProjectOptions,
  type SubscriptionOptions,
  type ToolClient,
} from '../../../actors/mod.ts'

/** Upper bounds in seconds; a provider has 20 s to answer, a receiver of webhooks 15 s. */
const BUCKETS = [0.05, 0.2, 1, 5, 20]

export type ProductMetrics = {
  projects: Required<Pick<ProjectOptions, 'ignored'>>
  channels: Required<Pick<ChannelOptions, 'observe'>>
  subscriptions: Required<Pick<SubscriptionOptions, 'attempted' | 'concluded'>>
  tools: Required<Pick<ConstructorParameters<typeof ToolClient>[0], 'observe'>>
}

/** Passed to the actors, which report their work through it. */
export function productMetrics(registry: Registry): ProductMetrics {
  const registers = [registry]
  const sends = new Counter({
    name: 'parley_sends_total',
    help: 'Tries to send a message, by channel and what came of it: accepted, or how it failed.',
    labelNames: ['channel', 'outcome'],
    registers,
  })
  const calls = new Histogram({
    name: 'parley_provider_call_duration_seconds',
    help: 'Time until a provider has answered a try to send a message, by channel.',
    labelNames: ['channel'],
    buckets: BUCKETS,
    registers,
  })
  const deliveries = new Counter({
    name: 'parley_deliveries_total',
    help: 'Webhook deliveries by what an attempt made of them: success, waiting (it is made again), failed or dead.',
    labelNames: ['outcome'],
    registers,
  })
  const attempts = new Histogram({
    name: 'parley_webhook_attempt_duration_seconds',
    help: 'Time from the beginning of an attempt at a webhook to its end, by what came of it.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  })
  const tool_calls = new Histogram({
    name: 'parley_agent_tool_call_duration_seconds',
    help: 'Time until a tool of an agent has answered, by what came of it: succeeded or failed.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  })
  const unknown = new Counter({
    name: 'parley_provider_unknown_total',
    help: "Parts of providers' webhook calls that were left out, by channel and field; foreign_account: no channel has it.",
    labelNames: ['provider', 'field'],
    registers,
  })
  const fields = boundedFields()
  return {
    projects: {
      ignored: (channel, { what, name }) => {
        const provider = carrierOf(channel)
        unknown.inc({ provider, field: what === 'account' ? 'foreign_account' : fields(provider, name) })
      },
    },
    tools: {
      observe: ({ succeeded, duration_ms }) =>
        tool_calls.observe({ outcome: succeeded ? 'succeeded' : 'failed' }, duration_ms / 1000),
    },
    channels: {
      observe({ channel_type: channel, outcome, duration_ms }) {
        sends.inc({ channel, outcome })
        calls.observe({ channel }, duration_ms / 1000)
      },
    },
    subscriptions: {
      attempted: ({ outcome, duration_ms }) => attempts.observe({ outcome }, duration_ms / 1000),
      concluded: (outcome) => deliveries.inc({ outcome }),
    },
  }
}

/** Names of fields of a provider that have a label of their own. */
const MAX_FIELDS = 40

/** Names come from providers: their number is bounded, and so are their letters. */
function boundedFields(): (provider: string, name: string) => string {
  const known = new Map<string, Set<string>>()
  return (provider, name) => {
    const names = known.get(provider) ?? new Set()
    known.set(provider, names)
    if (!/^[\w.]{1,60}$/.test(name) || (names.size >= MAX_FIELDS && !names.has(name))) return 'other'
    names.add(name)
    return name
  }
}

/** The rate of broadcasts beside other work, and the delays that decide it. */
export function bulkRateMetrics(registry: Registry, bulk_rate: BulkRate): void {
  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value() ?? Number.NaN)
      },
    })
  const seconds = (ms: number | undefined) => ms && ms / 1000
  gauge(
    'parley_broadcast_rate_limit',
    'Recipients a second that all broadcasts of this node may take up while other work waits.',
    () => bulk_rate.per_second,
  )
  gauge(
    'parley_foreground_commit_seconds',
    'Mean time from decision to commit of writes that clients and people wait for, as last seen by a broadcast.',
    () => seconds(bulk_rate.delay_ms),
  )
  gauge('parley_foreground_commit_undisturbed_seconds', 'The same without broadcasts.', () =>
    seconds(bulk_rate.undisturbed_ms),
  )
}
