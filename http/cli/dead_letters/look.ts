/** `parley dead-letters list` and `show`. */

import type { Command } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { limitOption, readPages } from '../connection/pages.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import type { DeadLetter, DeadLetterSummary } from '../records/generated.ts'
import { fields, paint, printable, printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { type FilterOptions, filterOf, LETTERS, parseLetterId, withFilterOptions } from './filter.ts'

type ListOptions = OperatorOptions & FilterOptions & { limit: number; json?: boolean }

export function addLookCommands(letters: Command): void {
  const list = withFilterOptions(withOperatorOptions(letters.command('list')))
    .summary('list them, newest first')
    .description('Lists dead letters, newest first, with the first line of each error.')
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listLetters)
  withExamples(list, [
    'parley dead-letters list',
    'parley dead-letters list --kind channel --since 2h',
    "parley dead-letters list --json --limit 10000 | jq -r '.[].error' | sort | uniq -c",
  ])

  const show = withOperatorOptions(letters.command('show'))
    .summary('show one with its message and error')
    .description('Shows a dead letter with its whole error and its message, without secrets.')
    .argument('<id>', 'the dead letter (parley dead-letters list)', parseLetterId)
    .option('--json', 'print JSON')
    .action(showLetter)
  withExamples(show, ['parley dead-letters show 17', 'parley dead-letters show 17 --json | jq .message'])
}

async function listLetters({ limit, ...options }: ListOptions): Promise<void> {
  const filter = filterOf(options)
  const { api } = connectAsOperator(options)
  const { rows: letters, total = 0 } = await readPages<DeadLetterSummary>(api, LETTERS, filter, limit)
  if (options.json) printJson(letters)
  else if (letters.length === 0) {
    remark(Object.keys(filter).length > 0 ? 'No dead letter is like that.' : 'There are no dead letters.')
  } else {
    const rows = letters.map(({ id, parked_at, address, type, error }) => [
      id,
      shortTime(parked_at),
      address,
      type ?? '',
      error,
    ])
    process.stdout.write(table(['id', 'parked (UTC)', 'for', 'type', 'error'], rows, 4))
  }
  const more = total - letters.length
  if (more > 0) remark(paint('dim', howMany(more), process.stderr))
}

function howMany(more: number): string {
  return more === 1 ? '1 more: a greater --limit shows it.' : `${more} more: a greater --limit shows them.`
}

async function showLetter(id: string, options: OperatorOptions & { json?: boolean }): Promise<void> {
  const letter: DeadLetter = await connectAsOperator(options).api.call('GET', `${LETTERS}/${id}`)
  if (options.json) return printJson(letter)
  const { parked_at, address, partition, type, sender, error, message } = letter
  printLine(
    fields([
      ['dead letter', letter.id],
      ['parked', parked_at],
      ['for', `${address} (partition ${partition})`],
      ['type', type ?? 'unknown'],
      ['sender', sender ?? 'a timer or a request'],
    ]),
  )
  printLine('')
  for (const line of error.split('\n')) printLine(`    ${printable(line)}`)
  printLine('')
  for (const line of JSON.stringify(message, null, 2).split('\n')) {
    printLine(line.slice(0, line.search(/\S/)) + printable(line))
  }
}
