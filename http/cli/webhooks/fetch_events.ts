import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Api, ApiRefusal, Unreachable } from '../connection/api.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { limitOption } from '../connection/pages.ts'
import { summarize } from '../listener/summary.ts'
import { withExamples } from '../options/examples.ts'
import { parseMoment, shortTime } from '../options/time_option.ts'
import { untilInterrupted } from '../terminal/interrupt.ts'
import { paint, printable, remark } from '../terminal/terminal.ts'
import { webhookPath } from './subscriptions.ts'

type Event = { id: string; type: string; created_at?: string; time?: string; data: unknown }
type Page = { data: Event[]; next_cursor: string; has_more: boolean }
type Options = TokenOptions & {
  since?: string
  limit: number
  acknowledge?: boolean
  follow?: boolean
  json?: boolean
}

const PAGE = 200
/** Seconds for which one request waits for events. */
const WAIT_S = 20
const AGAIN_MS = 1000

export function addPollCommand(webhooks: Command): void {
  const command = withTokenOptions(webhooks.command('poll'))
    .summary('fetch the events of a polled subscription')
    .description(
      'Prints the events that the receiver of a subscription with mode poll has not acknowledged, oldest first, and ' +
        'leaves them to the receiver. With --acknowledge, what was printed does not come again. With --follow, it ' +
        'acknowledges too, and waits for more until Ctrl-C.',
    )
    .argument('<id>', 'the subscription (parley webhooks list)')
    .option('--since <time>', 'all since this time, acknowledged or not: 2h, 3d or ISO 8601', parseMoment)
    .addOption(limitOption())
    .option('--acknowledge', 'acknowledge what was printed')
    .option('--follow', 'acknowledge, and wait for more')
    .option('--json', 'print a JSON document a line')
    .action((id: string, options: Options) => untilInterrupted((signal) => pollEvents(id, options, signal)))
  withExamples(command, [
    'parley webhooks poll wh_66f2a0c1d4e5f60718293a4e',
    'parley webhooks poll wh_66f2a0c1d4e5f60718293a4e --since 2h --json | jq .type',
    'parley webhooks poll wh_66f2a0c1d4e5f60718293a4e --follow --json >> events.ndjson',
  ])
}

async function pollEvents(id: string, options: Options, signal: AbortSignal): Promise<void> {
  const { since, limit, acknowledge, follow, json } = options
  const api = connectAsProject(options)
  api.signal = signal
  const fetchPage = async (query: Record<string, string>) => {
    return pageOf(api, `${webhookPath(id)}/poll?${new URLSearchParams(query)}`, signal, follow)
  }
  const print = ({ data }: Page) => {
    for (const event of data) process.stdout.write(`${json ? JSON.stringify(event) : lineOf(event)}\n`)
    return data.length
  }
  let page = await fetchPage({ ...(since && { since }), limit: String(Math.min(limit, PAGE)) })
  if (!page) return
  let printed = print(page)
  if (printed === 0 && !json && !follow) remark('No event waits to be fetched.')
  if (!follow && !acknowledge) {
    // Without a cursor, which acknowledges, the same page would come again.
    if (page.has_more) remark(paint('dim', 'There are more: --acknowledge goes on behind these.', process.stderr))
    return
  }
  for (let goes_on = true; goes_on; ) {
    goes_on = follow === true || (page.has_more && printed < limit)
    const size = follow ? PAGE : Math.max(1, Math.min(limit - printed, PAGE))
    const query = { cursor: page.next_cursor, limit: String(size), wait: follow ? String(WAIT_S) : '0' }
    const next = await fetchPage(query)
    if (!next) return
    // The last request only acknowledges.
    if (!goes_on) break
    printed += print(next)
    page = next
  }
  if (page.has_more) remark(paint('dim', 'There are more: a greater --limit shows them.', process.stderr))
}

/** The page; undefined once interrupted. While following, a server that is away is waited for. */
async function pageOf(api: Api, path: string, signal: AbortSignal, is_patient = false): Promise<Page | undefined> {
  for (let is_reported = false; ; ) {
    try {
      return await api.call('GET', path)
    } catch (error) {
      if (signal.aborted) return undefined
      const passes = error instanceof Unreachable || (error instanceof ApiRefusal && error.status >= 500)
      if (!is_patient || !passes) throw error
      if (!is_reported) remark(`${api.base_url} does not answer any more: waiting for it.`)
      is_reported = true
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  }
}

function lineOf({ id, type, created_at, time, data }: Event): string {
  const at = created_at ?? time
  const parts = [at ? paint('dim', shortTime(at)) : '', paint('bold', printable(type)), paint('dim', printable(id))]
  return [...parts, summarize(data)].filter(Boolean).join(' ')
}
