import type { Command } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { poll } from '../connection/poll.ts'
import { withExamples } from '../options/examples.ts'
import { mustBeInOrder, parseMoment } from '../options/time_option.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { Progress } from '../terminal/progress.ts'
import { printJson, printLine, remark } from '../terminal/terminal.ts'
import { type Recovery, stateOf, type Webhook, webhookPath } from './subscriptions.ts'

type Options = TokenOptions & { since: string; until?: string; wait: boolean; json?: boolean }
type Range = { since: string; until: string }

/** Maximum milliseconds from the answer until it begins. */
const BEGIN_MS = 30_000

export function addRecoverCommand(webhooks: Command): void {
  const command = withTokenOptions(webhooks.command('recover'))
    .summary('send everything again that failed')
    .description(
      'Recovers from an outage of your receiver: sends again every delivery that was created since a time and ' +
        'ended as failed or dead, in portions, beside new deliveries. Shows the progress until all of them are ' +
        'queued; Ctrl-C stops watching, not the recovery.',
    )
    .argument('<id>', 'the subscription (parley webhooks list)')
    .requiredOption('--since <time>', 'created at or after: 2h, 3d or ISO 8601', parseMoment)
    .option('--until <time>', 'created until this time (default: now)', parseMoment)
    .option('--no-wait', 'do not wait until all deliveries are queued')
    .option('--json', 'print JSON')
    .action(recover)
  withExamples(command, [
    'parley webhooks recover wh_66f2a0c1d4e5f60718293a4e --since 2h',
    'parley webhooks recover wh_66f2a0c1d4e5f60718293a4e \\',
    '  --since 2026-11-21T09:00:00Z --until 2026-11-21T11:30:00Z',
    'parley webhooks recover wh_66f2a0c1d4e5f60718293a4e --since 3d --json | jq .requeued',
  ])
}

async function recover(id: string, options: Options): Promise<void> {
  const { since, until, wait, json } = options
  mustBeInOrder(options)
  const api = connectAsProject(options)
  const before = wait ? await recoveryOf(api, id) : null
  const range: Range = await api.call('POST', `${webhookPath(id)}/recover`, { since, until })
  if (!wait) {
    if (json) return printJson(range)
    return printLine(
      `What failed since ${range.since} is sent again; \`parley webhooks show ${id}\` shows its progress.`,
    )
  }
  if (before?.status === 'running') remark(`It takes the place of a recovery since ${before.since} that was running.`)
  if (!json) remark(`Sending again what failed from ${range.since} to ${range.until}. Ctrl-C does not end that.`)
  const done = await waitForEnd(api, id, range, before, options)
  if (json) printJson(done)
  else if (done.status === 'completed') printLine(summary(id, done))
  if (done.status === 'cancelled') {
    throw new CommandFailure(`The recovery was cancelled after ${done.requeued} deliveries: ${id} is switched off.`)
  }
}

async function recoveryOf(api: Api, id: string): Promise<Recovery | null> {
  const { recovery }: Webhook = await api.call('GET', webhookPath(id))
  return recovery
}

/** Shows the progress. @throws {CommandFailure} when it does not begin, or another one replaces it */
async function waitForEnd(
  api: Api,
  id: string,
  range: Range,
  before: Recovery | null,
  { json }: Options,
): Promise<Recovery> {
  const progress = new Progress()
  let has_begun = false
  const begin_until = performance.now() + BEGIN_MS
  try {
    return await poll(api, async () => {
      const webhook: Webhook = await api.call('GET', webhookPath(id))
      const { recovery } = webhook
      if (recovery && recovery.started_at !== before?.started_at && isOf(recovery, range)) {
        has_begun = true
        if (!json) progress.show(recovery.requeued, recovery.total)
        return recovery.status === 'running' ? undefined : recovery
      }
      if (has_begun) throw new CommandFailure('Another recovery of this subscription has taken its place.')
      if (!webhook.is_active) throw new CommandFailure(`Nothing is sent to ${id} any more (${stateOf(webhook)}).`)
      if (performance.now() > begin_until) throw new CommandFailure('It has not begun yet; look at it again later.')
      return undefined
    })
  } finally {
    progress.clear()
  }
}

const isOf = ({ since, until }: Recovery, range: Range) => since === range.since && until === range.until

function summary(id: string, { since, until, requeued, total }: Recovery): string {
  if (!total) return `Nothing made from ${since} to ${until} has failed.`
  const what = requeued === total ? `${requeued}` : `${requeued} of ${total}`
  return `Queued again: ${what}. \`parley webhooks deliveries ${id}\` tells what becomes of them.`
}
