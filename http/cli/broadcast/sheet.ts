/** The recipients in a file: a column `phone`, and a column with the name of each variable of the template. */
import { CommandFailure } from '../terminal/failure.ts'
import { printable } from '../terminal/terminal.ts'
import { cellsOf, parseCsv, type Row } from './csv.ts'
import type { Template } from './template.ts'

/** An error in one line of the file. */
export type Fault = { line: number; column: string; message: string }

export type Recipient = { line: number; phone: string; variables: Record<string, string> }

export type Sheet = {
  recipients: Recipient[]
  /** In the order of the lines. A line with an error is not a recipient. */
  faults: Fault[]
  /** Empty variables. Their recipients are sent to the server, where they fail individually. */
  empty: Fault[]
  /** Columns that are not sent. */
  ignored_columns: string[]
  /** Phones that occur more than once: all are kept, so they get the message as often. */
  repeated: number
}

const PHONE = 'phone'
/** Checks the shape only, as the API does, because numbering plans change. */
const E164 = /^\+[1-9]\d{6,14}$/
const SHOWN = 40
const EMPTY = 'is empty'

/** Positions of the columns in a row, and whether variables are required. */
type Columns = { count: number; phone: number; variables: { name: string; at: number }[]; are_needed: boolean }

/**
 * Reads a file for a template. Without one the required variables are unknown: then every column is a variable, and an
 * empty cell leaves it out.
 * @throws {CommandFailure} when the columns cannot be identified, or the template needs others
 */
export function readSheet(bytes: Uint8Array, template?: Pick<Template, 'variables'>): Sheet {
  const [header, ...rows] = parseCsv(bytes)
  if (!header) throw new CommandFailure(`The file is empty: its first line names the columns, “${PHONE}” among them.`)
  const names = header.cells.map((name) => name.trim())
  const phone = phoneColumn(names)
  const others = names.filter((name, at) => name !== '' && at !== phone)
  const expected = template?.variables ?? others
  mustHave(others, expected)
  const variables = expected.map((name) => ({ name, at: names.indexOf(name) }))
  const columns = { count: names.length, phone, variables, are_needed: template !== undefined }
  const recipients: Recipient[] = []
  const faults: Fault[] = []
  const empty: Fault[] = []
  for (const row of rows) {
    const found = readRow(row, columns)
    if (Array.isArray(found)) faults.push(...found)
    else {
      recipients.push(found)
      for (const [column, value] of Object.entries(found.variables)) {
        if (value === '') empty.push({ line: found.line, column, message: EMPTY })
      }
    }
  }
  const ignored_columns = others.filter((name) => !expected.includes(name))
  return { recipients, faults, empty, ignored_columns, repeated: repeats(recipients) }
}

function phoneColumn(names: string[]): number {
  const at = names.findIndex((name) => name.toLowerCase() === PHONE)
  if (at < 0) {
    const there = names.map(quote).join(', ')
    throw new CommandFailure(`The file has no column “${PHONE}”: its first line names ${there}.`)
  }
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (twice !== undefined) throw new CommandFailure(`Two columns have the name ${quote(twice)}.`)
  return at
}

function mustHave(columns: string[], variables: string[]): void {
  const absent = variables.filter((name) => !columns.includes(name))
  if (absent.length === 0) return
  const [what, which] =
    absent.length === 1 ? ['variable', 'a column of that name'] : ['variables', 'columns of these names']
  throw new CommandFailure(
    `The template needs the ${what} ${absent.map(quote).join(', ')}: the file must have ${which}.`,
  )
}

function readRow(row: Row, columns: Columns): Recipient | Fault[] {
  const { line } = row
  const cells = cellsOf(row, columns.count)
  if (cells === undefined) {
    const message = `has ${row.cells.length} cells, the first line ${columns.count}: are quotes missing around a comma?`
    return [{ line, column: '', message }]
  }
  const faults: Fault[] = []
  const phone_text = cells[columns.phone]!
  const phone = plainPhone(phone_text)
  const wrong = phoneFault(phone, phone_text.trim())
  if (wrong) faults.push({ line, column: PHONE, message: wrong })
  const variables: Record<string, string> = {}
  for (const { name, at } of columns.variables) {
    const value = cells[at]!.trim()
    if (value !== '' || columns.are_needed) variables[name] = value
    if (wrong && value === '' && columns.are_needed) faults.push({ line, column: name, message: EMPTY })
  }
  return faults.length > 0 ? faults : { line, phone, variables }
}

/** Removes the characters that people and address books put between the digits, including direction marks. */
export function plainPhone(text: string): string {
  return text.replace(/[\s\p{Cf}().\-–/]/gu, '')
}

/** The error of a phone number, to follow its column; undefined when it is valid. `original` is what the file has. */
export function phoneFault(phone: string, original = phone): string | undefined {
  if (E164.test(phone)) return undefined
  if (phone === '') return 'is empty'
  const what = `${quote(original)} is no phone number: `
  if (/^\d[\d,]*E\+?\d+$/i.test(phone)) return `${what}a spreadsheet has rounded it; format the column as text`
  if (/^\d{7,15}$/.test(phone)) return `${what}it must begin with + and the country code`
  return `${what}+, country code and number, 7 to 15 digits, such as +5215512345678`
}

function repeats(recipients: Recipient[]): number {
  return recipients.length - new Set(recipients.map(({ phone }) => phone)).size
}

const quote = (text: string) => `“${printable(text.slice(0, SHOWN))}”`
