/**
 * Metrics of the work for tenants: sends, deliveries, and response times of providers and receivers. Labels come from
 * closed sets; none names a tenant.
 */
import type { Registry } from 'prom-client'
import {
  type BulkRate,
  type ChannelOptions,
  carrierOf,
  type ProjectOptions,
  type SubscriptionOptions,
  type ToolClient,
} from '../../../actors/mod.ts'
import { counter, histogram, readGauge } from '../../metrics/instruments.ts'

export type ProductMetrics = {
  projects: Required<Pick<ProjectOptions, 'ignored'>>
  channels: Required<Pick<ChannelOptions, 'observe'>>
  subscriptions: Required<Pick<SubscriptionOptions, 'attempted' | 'concluded'>>
  tools: Required<Pick<ConstructorParameters<typeof ToolClient>[0], 'observe'>>
}

/** Passed to the actors, which report their work through it. */
export function productMetrics(registry: Registry): ProductMetrics {
  const sends = counter(registry, 'parley_sends_total')
  const calls = histogram(registry, 'parley_provider_call_duration_seconds')
  const deliveries = counter(registry, 'parley_deliveries_total')
  const attempts = histogram(registry, 'parley_webhook_attempt_duration_seconds')
  const tool_calls = histogram(registry, 'parley_agent_tool_call_duration_seconds')
  const unknown = counter(registry, 'parley_provider_unknown_total')
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
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
  readGauge(registry, 'parley_broadcast_rate_limit', () => bulk_rate.per_second)
  readGauge(registry, 'parley_foreground_commit_seconds', () => seconds(bulk_rate.delay_ms))
  readGauge(registry, 'parley_foreground_commit_undisturbed_seconds', () => seconds(bulk_rate.undisturbed_ms))
}
