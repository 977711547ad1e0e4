/** `parley rates`: the rates by which messages are priced. */

import { type Command, InvalidArgumentError } from 'commander'
import { ApiRefusal } from '../connection/api.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { readFileOf } from '../options/read_file.ts'
import type { Rate } from '../records/generated.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { type Card, type Fault, readCard } from './card.ts'

const RATES = '/admin/v1/rates'
/** Errors that are printed. */
const MAX_SHOWN = 20

type ImportOptions = OperatorOptions & {
  validFrom: string
  currency?: string
  replaceAll?: boolean
  dryRun?: boolean
  json?: boolean
}
type ListOptions = OperatorOptions & { market?: string; category?: string; json?: boolean }
type Loaded = {
  rate_count: number
  market_count: number
  currency: string
  dry_run: boolean
  warnings: { message: string }[]
}

export function addRateCommands(program: Command): void {
  const rates = program
    .command('rates')
    .summary('the rates by which messages are priced')
    .description('Loads and lists the rates of the provider, by which Parley prices messages and sums costs.')

  const load = withOperatorOptions(rates.command('import'))
    .summary('load a rate card')
    .description(
      'Loads a rate card as Meta publishes it: a CSV file with the columns Market, Currency and the categories. Rates of the ' +
        'same market, category and day are replaced. When a line is wrong, nothing is loaded and every wrong line is told.',
    )
    .argument('<file>', 'the CSV file; - reads standard input')
    .requiredOption('--valid-from <day>', 'the first day of these rates (UTC), such as 2026-10-01', parseDay)
    .option('--currency <code>', 'the currency, for a file without such a column')
    .option('--replace-all', 'remove all earlier rates, also those of earlier days')
    .option('--dry-run', 'check the file, and load nothing')
    .option('--json', 'print JSON')
    .action(importRates)
  withExamples(load, [
    'parley rates import rates-usd.csv --valid-from 2026-10-01 --dry-run',
    'parley rates import rates-usd.csv --valid-from 2026-10-01',
  ])

  const list = withOperatorOptions(rates.command('list'))
    .summary('list the rates')
    .description('Lists the rates by market and category, the latest first.')
    .option('--market <market>', 'only this market, such as Mexico, MX or "Rest of Africa"')
    .option('--category <category>', 'only this category, such as marketing')
    .option('--json', 'print JSON')
    .action(listRates)
  withExamples(list, [
    'parley rates list --category marketing',
    'parley rates list --market Mexico --json | jq ".[0].amount"',
  ])
}

function parseDay(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text
  throw new InvalidArgumentError('It must be a day, such as 2026-10-01.')
}

async function importRates(file: string, options: ImportOptions): Promise<void> {
  const { api } = connectAsOperator(options)
  const card = readCard(await readFileOf(file))
  mustBeRight(card.faults)
  const currency = options.currency ?? card.currency
  if (currency === undefined) throw new CommandFailure('The file has no column “Currency”: give --currency.', 2)
  if (card.markets.length === 0) throw new CommandFailure('The file names no market.')
  const { validFrom: valid_from, replaceAll: replaces_all, dryRun: dry_run } = options
  const body = {
    valid_from,
    currency,
    markets: card.markets,
    ...(replaces_all && { replaces_all }),
    ...(dry_run && { dry_run }),
  }
  const answer = await api.call<Loaded>('POST', RATES, body).catch((error) => {
    mustBeRight(faultsOf(error, card))
    throw error
  })
  if (options.json) return printJson(answer)
  const count = `${answer.rate_count} rates of ${answer.market_count} markets, in ${answer.currency} from ${valid_from}`
  printLine(answer.dry_run ? `The file is right: ${count}. Nothing was loaded.` : `Loaded ${count}.`)
  if (card.ignored_columns.length > 0) remark(`Ignored columns: ${card.ignored_columns.map(printable).join(', ')}.`)
  for (const { message } of answer.warnings) remark(message)
}

/** The refusals of the server about markets, by the line of the file. */
function faultsOf(error: unknown, { lines }: Card): Fault[] {
  if (!(error instanceof ApiRefusal)) return []
  return (error.details.violations ?? []).flatMap(({ path, message }) => {
    const [, index, field] = /^markets\.(\d+)\.(\w+)$/.exec(path) ?? []
    const line = lines[Number(index)]
    return line === undefined ? [] : [{ line, message: `${field} ${message}` }]
  })
}

/** @throws {CommandFailure} that names the lines */
function mustBeRight(faults: Fault[]): void {
  if (faults.length === 0) return
  const items = faults.slice(0, MAX_SHOWN).map(({ line, message }) => `line ${line}: ${message}`)
  if (faults.length > items.length) items.push(`and ${faults.length - items.length} more`)
  throw new CommandFailure(`Nothing was loaded, because the file has errors:\n  ${items.join('\n  ')}`)
}

async function listRates({ market, category, json, ...options }: ListOptions): Promise<void> {
  const rates: Rate[] = await connectAsOperator(options).api.all(RATES, { market, category })
  if (json) return printJson(rates)
  if (rates.length === 0) return remark(market || category ? 'There are no such rates.' : 'No rates are loaded.')
  const rows = rates.map((rate) => [rate.market, rate.category, `${rate.amount} ${rate.currency}`, rate.valid_from])
  process.stdout.write(table(['market', 'category', 'a message', 'from'], rows, 0))
}
