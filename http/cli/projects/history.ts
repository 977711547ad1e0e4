/** `parley channels history`: messages and names from before a WhatsApp account was connected. */

import type { Command } from 'commander'
import { type Api, ApiRefusal } from '../connection/api.ts'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import type { HistoryImport } from '../records/generated.ts'
import type { Options } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine, remark } from '../terminal/terminal.ts'

export function addHistoryCommand(group: Command): void {
  const history = withOperatorOptions(group.command('history'))
    .argument('<id>', 'its id (parley channels list)')
    .summary('import the history of its phone')
    .description(
      'Shows how far the import of the history of a WhatsApp account has come, whose phone goes on to use the app. With --request it ' +
        'is asked for, once for each pairing, within 24 hours of it: messages of up to 180 days, and the address book.',
    )
    .option('--request', 'ask WhatsApp for it')
    .option('--webhooks', 'emit events for imported messages and contacts, too; with --request')
    .option('--json', 'print JSON')
    .action(showHistory)
  withExamples(history, [
    'parley channels history 66f2a0c1d4e5f60718293a4b --request',
    'parley channels history 66f2a0c1d4e5f60718293a4b',
  ])
}

async function showHistory(id: string, options: Options): Promise<void> {
  if (options.webhooks && !options.request) throw new CommandFailure('--webhooks is given with --request.', 2)
  const { api } = connectAsOperator(options)
  const channel = `/admin/v1/channels/${encodeURIComponent(id)}`
  const row: HistoryImport | null = options.request
    ? await api.call('POST', `${channel}/history`, { webhooks: options.webhooks === true })
    : await historyOf(api, channel)
  if (options.json) printJson(row)
  else if (row === null) remark('The history of this channel was not asked for yet; --request asks for it.')
  else for (const line of linesOf(row)) printLine(line)
}

/** Null before it was asked for. */
async function historyOf(api: Api, channel: string): Promise<HistoryImport | null> {
  try {
    return await api.call('GET', `${channel}/history`)
  } catch (error) {
    if (!(error instanceof ApiRefusal && error.status === 404)) throw error
    // Refused where there is no such channel.
    await api.call('GET', channel)
    return null
  }
}

function linesOf(row: HistoryImport): string[] {
  const { status, progress, phase, message_count, known_count, name_count, waiting_count, unreadable_count, error } =
    row
  const lines = [
    `The history is ${status}${error ? ` (${printable(error.code)}: ${printable(error.message)})` : ''}.`,
    `WhatsApp has sent ${progress} percent${phase === null ? '' : `, phase ${phase}`}; ${waiting_count} entries wait to be stored.`,
    `Stored: ${message_count} messages, and ${name_count} names. ${known_count} messages were here before.`,
  ]
  if (unreadable_count > 0) lines.push(`${unreadable_count} entries had no id or no person.`)
  return lines
}
