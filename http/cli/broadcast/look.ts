/** `parley broadcast list`, `show` and `cancel`. */
import { type Command, Option } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { limitOption, readPages } from '../connection/pages.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { fields, paint, printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { printFailures, readFailures } from './failures.ts'
import { BROADCASTS, type Broadcast, broadcastPath, countsOf, doneOf, STATUSES, sentence } from './record.ts'

type Options = TokenOptions & { json?: boolean }
type ListOptions = Options & { status?: string; limit: number }

export function addLookCommands(broadcast: Command): void {
  const list = withTokenOptions(broadcast.command('list'))
    .summary('list the broadcasts')
    .description('Lists the broadcasts of the project, newest first.')
    .addOption(new Option('--status <status>', 'only this status').choices(STATUSES))
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listBroadcasts)
  withExamples(list, ['parley broadcast list', "parley broadcast list --status sending --json | jq -r '.[].id'"])

  const show = withTokenOptions(broadcast.command('show'))
    .summary('show one broadcast')
    .description('Shows a broadcast: its template, its progress, and the reasons of failures.')
    .argument('<id>', 'the broadcast (parley broadcast list)')
    .option('--json', 'print JSON')
    .action(showBroadcast)
  withExamples(show, [
    'parley broadcast show brd_66f2a0c1d4e5f60718293a4b',
    'parley broadcast show brd_66f2a0c1d4e5f60718293a4b --json | jq .read_count',
  ])

  const cancel = withYes(withTokenOptions(broadcast.command('cancel')))
    .summary('end one early')
    .description(
      'Cancels a broadcast: queued messages are withdrawn and count as failed. Messages that are already being ' +
        'sent arrive. Asks first.',
    )
    .argument('<id>', 'the broadcast (parley broadcast list)')
    .option('--json', 'print JSON')
    .action(cancelBroadcast)
  withExamples(cancel, ['parley broadcast cancel brd_66f2a0c1d4e5f60718293a4b --yes'])
}

async function listBroadcasts({ status, limit, json, ...options }: ListOptions): Promise<void> {
  const { rows: broadcasts, more } = await readPages<Broadcast>(
    connectAsProject(options),
    BROADCASTS,
    { status },
    limit,
  )
  if (json) printJson(broadcasts)
  else if (broadcasts.length === 0) remark(status ? `No broadcast is ${status}.` : 'There are no broadcasts.')
  else {
    const rows = broadcasts.map((broadcast) => [
      broadcast.id,
      shortTime(broadcast.created_at),
      broadcast.status,
      `${doneOf(broadcast)}/${broadcast.total}`,
      String(broadcast.failed_count),
      broadcast.campaign_name ?? broadcast.template_name,
    ])
    process.stdout.write(
      table(['broadcast', 'made (UTC)', 'status', 'done', 'failed', 'campaign or template'], rows, 5),
    )
  }
  if (more) remark(paint('dim', 'There are more: a greater --limit shows them.', process.stderr))
}

async function showBroadcast(id: string, options: Options): Promise<void> {
  const api = connectAsProject(options)
  const broadcast: Broadcast = await api.call('GET', broadcastPath(id))
  const failures = await readFailures(api, broadcast)
  if (options.json) return printJson({ ...broadcast, failures })
  const { status, campaign_name, template_name, language, channel_id, total, paused_reason, cost } = broadcast
  const { sender_name } = broadcast
  printLine(
    fields([
      ['broadcast', broadcast.id],
      ['campaign', campaign_name ?? 'none'],
      ['template', `${template_name} (${language})`],
      ['channel', channel_id],
      ['sent by', sender_name ?? 'not known'],
      ['status', paused_reason ? `${status}, paused: ${paused_reason}` : status],
      ['recipients', String(total)],
      ['counts', countsOf(broadcast)],
      ['cost', cost ? `${cost.amount} ${cost.currency}` : 'none known'],
      ['made', broadcast.created_at],
      ['started', broadcast.started_at ?? 'not yet'],
      ['ended', broadcast.completed_at ?? 'not yet'],
    ]),
  )
  printFailures(broadcast, failures)
}

async function cancelBroadcast(id: string, options: Options & { yes?: boolean }): Promise<void> {
  const api = connectAsProject(options)
  if (!options.yes) {
    const present: Broadcast = await api.call('GET', broadcastPath(id))
    const question = `Cancel the broadcast ${id}, with ${doneOf(present)} of ${present.total} messages done?`
    await mustAgree({ question, refusal: 'Nothing is cancelled' })
  }
  const broadcast: Broadcast = await api.call('POST', `${broadcastPath(id)}/cancel`)
  if (options.json) printJson(broadcast)
  else printLine(sentence(broadcast))
}
