import { stripVTControlCharacters } from 'node:util'

type Stream = NodeJS.WriteStream

const COLOURS = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const

/** Colours a text on a terminal, unless NO_COLOR is set (no-color.org). */
export function paint(colour: keyof typeof COLOURS, text: string, stream: Stream = process.stdout): string {
  return stream.isTTY && !process.env.NO_COLOR ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text
}

/** Controls, line ends and what turns the order of letters round. Joiners stay, which words of many languages have. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]+/gu

/** Makes foreign text safe to print: it cannot move the cursor, hide itself or break the line. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(UNSAFE, ' ').trim()
}

/** At most `width` characters of a text; a cut is marked. */
export function clip(text: string, width: number): string {
  const characters = [...text]
  return characters.length <= width ? text : `${characters.slice(0, Math.max(width - 1, 0)).join('')}…`
}

/**
 * Rows under their headings. On a terminal the column `flexible` is shortened when the others leave it too little room;
 * in a pipe no column is cut.
 */
export function table(headings: string[], rows: string[][], flexible: number, stream: Stream = process.stdout): string {
  const cells = [headings, ...rows.map((row) => row.map(printable))]
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => length(row[column]))))
  if (stream.isTTY) {
    const others = widths.reduce((sum, width, column) => sum + (column === flexible ? 0 : width + 2), 0)
    widths[flexible] = Math.min(widths[flexible] ?? 0, Math.max((stream.columns || 80) - others, 8))
  }
  const line = (row: string[]) =>
    row
      .map((cell, column) => clip(cell, widths[column] ?? 0))
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - length(cell)))
      .join('  ')
      .trimEnd()
  const [head = '', ...body] = cells.map(line)
  return [paint('dim', head, stream), ...body].map((text) => `${text}\n`).join('')
}

/** Names and values, one pair a line; safe to print for any source. */
export function fields(lines: [name: string, value: string][]): string {
  const width = Math.max(...lines.map(([name]) => name.length)) + 2
  return lines.map(([name, value]) => paint('dim', name.padEnd(width)) + printable(value)).join('\n')
}

const length = (text = '') => [...text].length

/** Wraps words into lines of at most `width` characters, each indented by `indent` blanks. */
export function wrap(text: string, width: number, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line && length(line) + 1 + length(word) > width - indent) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each).join('\n')
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints foreign text of several lines. On a terminal it is made safe; into a pipe it goes as it is. */
export function printText(text: string, stream: Stream = process.stdout): void {
  const safe = (line: string) => stripVTControlCharacters(line).replace(UNSAFE, ' ')
  stream.write(`${stream.isTTY ? text.split('\n').map(safe).join('\n') : text}\n`)
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Prints a remark for people to standard error, beside a stream of data. */
export function remark(text: string): void {
  process.stderr.write(`${text}\n`)
}

let must_be_whole = false

/** From now on standard output is a file: when its reader closes it, the command reports it as a failure. */
export function outputMustBeWhole(): void {
  must_be_whole = true
}

/**
 * Ends the command. The reader may close the pipe early (`parley token list | head -1`); what cannot be written for
 * another reason, such as a full disk, is a failure.
 */
export function outputFailed(error: NodeJS.ErrnoException): void {
  if (must_be_whole) return
  if (error.code === 'EPIPE') process.exit(0)
  remark(paint('red', `Standard output cannot be written: ${error.message}.`, process.stderr))
  process.exit(1)
}
