/**
 * Comma-separated values as spreadsheets and people write them (RFC 4180, and common variants): commas, semicolons,
 * tabs or bars; any kind of line end; UTF-8 or UTF-16 with its mark. The command line reads files alike. No DOM.
 *
 * A large file is read in slices, so that the page stays responsive.
 */
import type { Row } from './composition_form.ts'

const DELIMITERS = [',', ';', '\t', '|']
/** Longest time without a pause. */
const SLICE_MS = 12
/** Rows between two looks at the clock. */
const LOOK_EVERY = 200
/** Larger files have far more than 5000 people. */
export const MAX_BYTES = 20 * 1024 * 1024
/**
 * Rows that are read. A broadcast has 5000 recipients; more are read to say how many there are.
 *
 * @public for its tests
 */
export const MAX_ROWS = 50_000

/** The file cannot be read. The message is for people. */
export class CsvError extends Error {}

/**
 * The text of a file.
 *
 * @throws CsvError when it is not text
 */
export function decode(bytes: Uint8Array) {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Said below.
  }
  throw new CsvError('This is not a text file in UTF-8. In a spreadsheet, save it as “CSV UTF-8”.')
}

/**
 * The rows of a text, without blank ones, MAX_ROWS at most.
 *
 * @param breathe is called between two slices
 * @throws CsvError when a quote is not closed
 */
export async function parseCsv(input: string, breathe: () => Promise<void> = pause): Promise<Row[]> {
  const text = input.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const [declaration, named] = /^sep=([,;\t|])\n/.exec(text) ?? ['']
  const delimiter = named ?? delimiterOf(text)
  const rows: Row[] = []
  let began = performance.now()
  let count = 0
  for (const row of readRows(text, declaration.length, delimiter)) {
    if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row)
    if (rows.length === MAX_ROWS) break
    if (++count % LOOK_EVERY === 0 && performance.now() - began > SLICE_MS) {
      await breathe()
      began = performance.now()
    }
  }
  return rows
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** The most frequent delimiter of the first line with text. */
function delimiterOf(text: string) {
  const header = /^.*\S.*$/m.exec(text)?.[0] ?? ''
  const unquoted = header.replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

function* readRows(text: string, from: number, delimiter: string): Generator<Row> {
  let line = from === 0 ? 1 : 2
  let row: Row = { line, cells: [] }
  for (let at = from; at < text.length; ) {
    const { cell, end } = readCell(text, at, delimiter, line)
    row.cells.push(cell)
    if (cell.includes('\n')) line += cell.split('\n').length - 1
    if (text[end] !== delimiter) {
      yield row
      row = { line: ++line, cells: [] }
    } else if (end + 1 === text.length) row.cells.push('')
    at = end + 1
  }
  if (row.cells.length > 0) yield row
}

/** A cell and the position of its end: a delimiter, a line end or the end of the text. */
function readCell(text: string, from: number, delimiter: string, line: number) {
  let at = from
  while (text[at] === ' ') at++
  if (text[at] !== '"') {
    const end = endOf(text, from, delimiter)
    return { cell: text.slice(from, end), end }
  }
  const close = closingQuote(text, at + 1)
  if (close < 0) throw new CsvError(`Line ${line}: a quote (") is opened and never closed.`)
  const end = endOf(text, close + 1, delimiter)
  const rest = text.slice(close + 1, end).trim()
  if (rest) throw new CsvError(`Line ${line}: after a closing quote (") stands “${rest.slice(0, 20)}”.`)
  return { cell: text.slice(at + 1, close).replaceAll('""', '"'), end }
}

function endOf(text: string, from: number, delimiter: string) {
  let at = from
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++
  return at
}

/** A doubled quote stands for one and closes nothing. */
function closingQuote(text: string, from: number) {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}
