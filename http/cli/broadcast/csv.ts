/**
 * Comma-separated values as spreadsheets and people write them (RFC 4180, and common variants): commas, semicolons,
 * tabs or bars; any kind of line end; UTF-8 or UTF-16 with its mark. Each row has the number of its first line, so that
 * errors can be found in the file.
 */
import { CommandFailure } from '../terminal/failure.ts'

export type Row = {
  /** Counted from 1, as in editors. */
  line: number
  cells: string[]
}

const DELIMITERS = [',', ';', '\t', '|']

/**
 * The rows of a file, without blank ones.
 * @throws {CommandFailure} when it is not text, or a quote is not closed
 */
export function parseCsv(bytes: Uint8Array): Row[] {
  const text = decode(bytes).replace(/\r\n?/g, '\n')
  // Excel's own declaration of the delimiter.
  const [declaration, named] = /^sep=([,;\t|])\n/.exec(text) ?? ['']
  const delimiter = named ?? delimiterOf(text)
  const rows = [...readRows(text, declaration.length, delimiter)]
  return rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
}

/**
 * The cells of a row, as many as the first line has. Spreadsheets add empty cells to a row, and leave out the last ones
 * that are empty. Undefined when a further cell has text: its column is unknown.
 */
export function cellsOf({ cells }: Row, count: number): string[] | undefined {
  if (cells.slice(count).some((cell) => cell.trim() !== '')) return undefined
  return Array.from({ length: count }, (_, at) => cells[at] ?? '')
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    // The decoder removes the byte order mark.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new CommandFailure('The file is not in UTF-8: save it as “CSV UTF-8”.')
  }
}

/** The most frequent delimiter of the first line with text. */
function delimiterOf(text: string): string {
  const header = /^.*\S.*$/m.exec(text)?.[0] ?? ''
  const unquoted = header.replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!
}

function* readRows(text: string, from: number, delimiter: string): Generator<Row> {
  let line = from === 0 ? 1 : 2
  let row: Row = { line, cells: [] }
  for (let at = from; at < text.length; ) {
    const { cell, end } = readCell(text, at, delimiter, line)
    row.cells.push(cell)
    line += cell.split('\n').length - 1
    if (text[end] !== delimiter) {
      yield row
      row = { line: ++line, cells: [] }
    } else if (end + 1 === text.length) row.cells.push('')
    at = end + 1
  }
  if (row.cells.length > 0) yield row
}

/** A cell and the position of its end: a delimiter, a line end or the end of the text. */
function readCell(text: string, from: number, delimiter: string, line: number): { cell: string; end: number } {
  let at = from
  while (text[at] === ' ') at++
  if (text[at] !== '"') {
    const end = endOf(text, from, delimiter)
    return { cell: text.slice(from, end), end }
  }
  const close = closingQuote(text, at + 1)
  if (close < 0) throw new CommandFailure(`Line ${line}: a quote (") is opened and never closed.`)
  const end = endOf(text, close + 1, delimiter)
  const rest = text.slice(close + 1, end).trim()
  if (rest) throw new CommandFailure(`Line ${line}: after a closing quote (") stands “${rest.slice(0, 20)}”.`)
  return { cell: text.slice(at + 1, close).replaceAll('""', '"'), end }
}

function endOf(text: string, from: number, delimiter: string): number {
  let at = from
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++
  return at
}

/** A doubled quote stands for one and closes nothing. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}
