import type { Command } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import { fields, printJson, printLine, remark, table } from '../terminal/terminal.ts'

/** Progress of a recovery, which sends failed deliveries again. */
export type Recovery = {
  since: string
  until: string
  status: 'running' | 'completed' | 'cancelled'
  total: number | null
  requeued: number
  started_at: string
}
export type Webhook = {
  id: string
  name: string
  mode: string
  url: string | null
  events: string[]
  headers: Record<string, string>
  is_active: boolean
  ordering: string
  concurrency: number
  payload: string
  format: string
  ed25519: boolean
  disable_on_410: boolean
  previous_secret_until: string | null
  secret_prefix: string
  failure_count: number
  disabled_reason: string | null
  last_delivery_at: string | null
  recovery: Recovery | null
  created_at: string
}
type Options = TokenOptions & { json?: boolean }

export function addSubscriptionCommands(webhooks: Command): void {
  const list = withTokenOptions(webhooks.command('list'))
    .summary('list the subscriptions')
    .description('Lists the subscriptions of the project, newest first.')
    .option('--json', 'print JSON')
    .action(listWebhooks)
  withExamples(list, [
    'parley webhooks list',
    "parley webhooks list --json | jq -r '.[] | select(.is_active | not) | .id'",
  ])

  const show = withTokenOptions(webhooks.command('show'))
    .summary('show one subscription')
    .description('Shows a subscription: its event types, its state, and the progress of a recovery.')
    .argument('<id>', 'the subscription (parley webhooks list)')
    .option('--json', 'print JSON')
    .action(showWebhook)
  withExamples(show, [
    'parley webhooks show wh_66f2a0c1d4e5f60718293a4e',
    'parley webhooks show wh_66f2a0c1d4e5f60718293a4e --json | jq .recovery',
  ])
}

/** @throws {ApiRefusal} WEBHOOK_NOT_FOUND among others */
export function webhookPath(id: string): string {
  return `/v1/webhooks/${encodeURIComponent(id)}`
}

async function listWebhooks(options: Options): Promise<void> {
  const { data }: { data: Webhook[] } = await connectAsProject(options).call('GET', '/v1/webhooks')
  if (options.json) return printJson(data)
  if (data.length === 0)
    return remark('There are no webhooks: `parley webhooks create` or `parley webhooks listen` makes one.')
  const rows = data.map((webhook) => [
    webhook.id,
    stateOf(webhook),
    webhook.last_delivery_at ? shortTime(webhook.last_delivery_at) : 'never',
    webhook.name,
    webhook.url ?? 'polled',
  ])
  process.stdout.write(table(['webhook', 'state', 'last delivery (UTC)', 'name', 'url'], rows, 4))
}

async function showWebhook(id: string, options: Options): Promise<void> {
  const webhook: Webhook = await connectAsProject(options).call('GET', webhookPath(id))
  if (options.json) return printJson(webhook)
  const { name, url, events, secret_prefix, failure_count } = webhook
  const { payload, format, previous_secret_until: until } = webhook
  const state = stateOf(webhook)
  const lines: [string, string][] = [
    ['webhook', webhook.id],
    ['name', name],
    ['url', url ?? 'none: its events are polled'],
    ['state', state],
    ['dead in a row', String(failure_count)],
    ['last delivery', webhook.last_delivery_at ?? 'never'],
    ...(url === null ? [] : settingsOf(webhook)),
    ['payload', format === 'standard' ? payload : `${payload}, as ${format}`],
    ['secret', `${secret_prefix}…${until ? ` (the former one signs too until ${until})` : ''}`],
    ['created', webhook.created_at],
    ...events.map((event, index): [string, string] => [index === 0 ? 'events' : '', event]),
  ]
  printLine(fields(lines))
}

/** The settings of requests to an address. */
function settingsOf({
  ordering,
  concurrency,
  headers,
  ed25519,
  disable_on_410,
  recovery,
}: Webhook): [string, string][] {
  return [
    ['recovery', recovery ? describe(recovery) : 'none'],
    ['ordering', ordering],
    ['concurrency', String(concurrency)],
    ['ed25519', ed25519 ? 'signed with the public key, too' : 'no'],
    ['disabled by 410', disable_on_410 ? 'yes' : 'no'],
    // Their values are likely to be secrets.
    ['headers', Object.keys(headers).join(', ') || 'none'],
  ]
}

export function stateOf({ is_active, disabled_reason }: Webhook): string {
  return is_active ? 'active' : disabled_reason ? `off: ${disabled_reason}` : 'off'
}

function describe({ status, since, until, total, requeued }: Recovery): string {
  return `${status}, ${requeued} of ${total ?? 'as yet uncounted'} queued again, made from ${since} to ${until}`
}
