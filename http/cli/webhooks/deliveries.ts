import { type Command, Option } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { limitOption, readPages } from '../connection/pages.ts'
import { withExamples } from '../options/examples.ts'
import { mustBeInOrder, parseMoment, shortTime } from '../options/time_option.ts'
import { clip, fields, paint, printable, printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { webhookPath } from './subscriptions.ts'

export type Attempt = {
  attempt: number
  started_at: string
  status_code: number | null
  duration_ms: number
  error: string | null
  headers_sent: Record<string, string>
  excerpt: string | null
}
export type Delivery = {
  id: string
  event_id: string
  event_type: string
  status: 'pending' | 'success' | 'failed' | 'dead'
  attempts: number
  last_error: string | null
  next_attempt_at: string | null
  delivered_at: string | null
  is_test: boolean
  created_at: string
  /** Set for a single delivery, not in lists. */
  attempt_records: Attempt[]
}
type Filter = { status?: string; eventType?: string; since?: string; until?: string }
type ListOptions = TokenOptions & Filter & { limit: number; json?: boolean }

/** Maximum characters of an answer for people; --json has everything. */
const ANSWER_CHARACTERS = 300

export function addDeliveryCommands(webhooks: Command): void {
  const list = withTokenOptions(webhooks.command('deliveries'))
    .summary('list what was sent to a subscription')
    .description('Lists the deliveries to a subscription, newest first.')
    .argument('<id>', 'the subscription (parley webhooks list)')
    .addOption(new Option('--status <status>', 'only this status').choices(['pending', 'success', 'failed', 'dead']))
    .option('--event-type <type>', 'only of this event type')
    .option('--since <time>', 'created at or after: 2h, 3d or ISO 8601', parseMoment)
    .option('--until <time>', 'created before', parseMoment)
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listDeliveries)
  withExamples(list, [
    'parley webhooks deliveries wh_66f2a0c1d4e5f60718293a4e',
    'parley webhooks deliveries wh_66f2a0c1d4e5f60718293a4e --status dead --since 3d',
    "parley webhooks deliveries wh_66f2a0c1d4e5f60718293a4e --json --limit 10000 | jq '.[].last_error'",
  ])

  const one = withTokenOptions(webhooks.command('delivery'))
    .summary('show a delivery and each attempt at it')
    .description('Shows one delivery with each attempt: its time, the response and the headers.')
    .argument('<id>', 'the subscription (parley webhooks list)')
    .argument('<delivery_id>', 'the delivery (parley webhooks deliveries)')
    .option('--json', 'print JSON')
    .action(showDelivery)
  withExamples(one, [
    'parley webhooks delivery wh_66f2a0c1d4e5f60718293a4e dlv_66f2a0c1d4e5f60718293a50',
    'parley webhooks delivery wh_66f2a0c1d4e5f60718293a4e dlv_66f2a0c1d4e5f60718293a50 --json \\',
    "  | jq -r '.attempt_records[].excerpt'",
  ])
}

export function deliveryPath(id: string, delivery_id: string): string {
  return `${webhookPath(id)}/deliveries/${encodeURIComponent(delivery_id)}`
}

async function listDeliveries(id: string, options: ListOptions): Promise<void> {
  const { limit, status, eventType: event_type, since, until } = options
  mustBeInOrder(options)
  const filter = { status, event_type, since, until }
  const path = `${webhookPath(id)}/deliveries`
  const { rows: deliveries, more } = await readPages<Delivery>(connectAsProject(options), path, filter, limit)
  if (options.json) printJson(deliveries)
  else if (deliveries.length === 0)
    remark(isFiltered(options) ? 'No delivery is like that.' : 'There are no deliveries.')
  else {
    const rows = deliveries.map((delivery) => [
      delivery.id,
      shortTime(delivery.created_at).slice('2026-'.length),
      delivery.event_type,
      delivery.status,
      String(delivery.attempts),
      fate(delivery),
    ])
    process.stdout.write(table(['delivery', 'made (UTC)', 'event type', 'status', 'tries', 'error'], rows, 2))
  }
  if (more) remark(paint('dim', 'There are more: a greater --limit shows them.', process.stderr))
}

const isFiltered = ({ status, eventType, since, until }: Filter) => Boolean(status ?? eventType ?? since ?? until)

/** The last error of an unsuccessful delivery, and the time of its next attempt. */
function fate({ status, last_error, next_attempt_at }: Delivery): string {
  if (status === 'success') return ''
  const again = status === 'failed' && next_attempt_at ? `again at ${shortTime(next_attempt_at).slice(11)}` : ''
  return [last_error, again].filter(Boolean).join(', ')
}

async function showDelivery(
  id: string,
  delivery_id: string,
  options: TokenOptions & { json?: boolean },
): Promise<void> {
  const delivery: Delivery = await connectAsProject(options).call('GET', deliveryPath(id, delivery_id))
  if (options.json) return printJson(delivery)
  const { status, event_id, event_type, is_test, created_at, next_attempt_at, last_error } = delivery
  const lines: [string, string][] = [
    ['delivery', delivery.id],
    ['event', `${event_id} ${event_type}${is_test ? ' (test)' : ''}`],
    ['made', created_at],
    ['status', last_error && status !== 'success' ? `${status}: ${last_error}` : status],
    ['next attempt', next_attempt_at ?? 'none'],
  ]
  printLine(fields(lines))
  printAttempts(delivery.attempt_records)
}

function printAttempts(attempts: Attempt[]): void {
  const last = attempts.at(-1)
  if (!last) {
    printLine('\nNo attempt has been made.')
    return
  }
  for (const each of attempts) {
    printLine(`\n${paint('dim', shortTime(each.started_at))} ${attemptLine(each)}`)
    if (each.excerpt) printLine(`    ${clip(printable(each.excerpt), ANSWER_CHARACTERS)}`)
  }
  printLine(`\nHeaders of #${last.attempt}:`)
  for (const [name, value] of Object.entries(last.headers_sent)) printLine(`    ${printable(`${name}: ${value}`)}`)
}

/** `#2 answered 503 in 12 ms`. */
export function attemptLine({ attempt, status_code, duration_ms, error }: Attempt): string {
  const what = status_code === null ? printable(error ?? 'no answer') : `answered ${status_code}`
  return paint(error === null ? 'green' : 'red', `#${attempt} ${what} in ${duration_ms} ms`)
}
