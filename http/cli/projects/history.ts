/** `parley channels history`: messages and names from before a WhatsApp account was connected. */
import type { Command } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import type { Json, Options } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine } from '../terminal/terminal.ts'

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
    'parley channels history 66f2a0c1d4e5f60718293a4b',
    'parley channels history 66f2a0c1d4e5f60718293a4b --request',
  ])
}

async function showHistory(id: string, options: Options): Promise<void> {
  if (options.webhooks && !options.request) throw new CommandFailure('--webhooks is given with --request.', 2)
  const { api } = connectAsOperator(options)
  const path = `/admin/v1/channels/${encodeURIComponent(id)}/history`
  const row = options.request
    ? await api.call('POST', path, { webhooks: options.webhooks === true })
    : await api.call('GET', path)
  if (options.json) printJson(row)
  else for (const line of linesOf(row)) printLine(line)
}

function linesOf(row: Json): string[] {
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
