/** A rate card as providers publish it: lines of words, then a line that names the columns, then a line for each market. */
import { cellsOf, parseCsv } from '../broadcast/csv.ts'
import type { Json } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable } from '../terminal/terminal.ts'

export type Fault = { line: number; message: string }

/** `lines`: of the file, for each market. */
export type Card = {
  currency: string | undefined
  markets: Json[]
  lines: number[]
  faults: Fault[]
  ignored_columns: string[]
}

const COLUMNS: Readonly<Record<string, string>> = {
  market: 'market',
  currency: 'currency',
  marketing: 'marketing',
  marketinglite: 'marketing_lite',
  utility: 'utility',
  authentication: 'authentication',
  authenticationinternational: 'authentication_international',
  service: 'service',
}

/** Cells of a category without a rate. */
const NONE = new Set(['', 'n/a', 'na', '-', '–'])
const AMOUNT = /^\d{1,10}(\.\d{1,6})?$/

/** @throws {CommandFailure} when no line names the columns */
export function readCard(bytes: Uint8Array): Card {
  const rows = parseCsv(bytes)
  const header = rows.findIndex(({ cells }) => cells.some((cell) => columnOf(cell) === 'market'))
  if (header < 0) throw new CommandFailure('The file has no column “Market”: one of its lines must name the columns.')
  const names = rows[header]!.cells.map((cell) => cell.trim())
  const columns = names.map(columnOf)
  const twice = columns.find((column, at) => column !== undefined && columns.indexOf(column) !== at)
  if (twice !== undefined) throw new CommandFailure(`Two columns are “${twice}”.`)
  const card: Card = { currency: undefined, markets: [], lines: [], faults: [], ignored_columns: [] }
  card.ignored_columns = names.filter((name, at) => name !== '' && columns[at] === undefined)
  for (const row of rows.slice(header + 1)) {
    const cells = cellsOf(row, names.length)
    if (cells === undefined)
      card.faults.push({
        line: row.line,
        message: `has ${row.cells.length} cells, and there are ${names.length} columns`,
      })
    else readMarket(card, columns, cells, row.line)
  }
  return card
}

function columnOf(cell: string): string | undefined {
  const name = cell.toLowerCase().replace(/[^a-z]/g, '')
  return Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined
}

function readMarket(card: Card, columns: (string | undefined)[], cells: string[], line: number): void {
  const market: Json = {}
  const say = (message: string) => card.faults.push({ line, message })
  for (const [at, column] of columns.entries()) {
    const cell = cells[at]!.trim()
    if (column === 'market') market.market = cell
    else if (column === 'currency') {
      const currency = currencyOf(cell)
      card.currency ??= currency
      if (currency === undefined) say(`currency: “${printable(cell)}” is no currency code, such as USD`)
      else if (currency !== card.currency) say(`currency: ${currency} is not ${card.currency}, as in the lines before`)
    } else if (column !== undefined && !NONE.has(cell.toLowerCase())) {
      const amount = cell.replace(/^[^\d.,-]+/, '')
      if (AMOUNT.test(amount)) market[column] = Number(amount)
      else say(`${column}: “${printable(cell)}” is no amount, such as 0.0305`)
    }
  }
  card.markets.push(market)
  card.lines.push(line)
}

/** Cards write `$US` for USD. */
function currencyOf(cell: string): string | undefined {
  const letters = cell.replace(/[^A-Za-z]/g, '').toUpperCase()
  if (letters === 'US' && cell.includes('$')) return 'USD'
  return /^[A-Z]{3}$/.test(letters) ? letters : undefined
}
