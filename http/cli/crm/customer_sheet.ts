/** The customers in a file: a column `full_name`, and others recognised by their names. */
import type { CustomField } from '../../../storage/mod.ts'
import { cellsOf, parseCsv, type Row } from '../broadcast/csv.ts'
import { type Fault, phoneFault, plainPhone } from '../broadcast/sheet.ts'
import { isKept } from '../options/exact_json.ts'
import type { Json } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable } from '../terminal/terminal.ts'

export type Line = {
  line: number
  customer: {
    full_name: string
    email?: string
    phone?: string
    external_id?: string
    tags?: string[]
    custom_fields?: Json
  }
}

export type CustomerSheet = {
  lines: Line[]
  /** In the order of the lines. A line with an error is not a customer. */
  faults: Fault[]
  /** Columns that are not read. */
  ignored_columns: string[]
}

/** The company's field definitions that are needed to read a file. */
export type DefinedField = Pick<CustomField, 'key' | 'type' | 'options'>

const NAMES: Record<string, 'full_name' | 'email' | 'phone' | 'external_id' | 'tags'> = {
  full_name: 'full_name',
  name: 'full_name',
  email: 'email',
  'e-mail': 'email',
  phone: 'phone',
  external_id: 'external_id',
  tags: 'tags',
}

type Column = { header: string; at: number } & ({ field: (typeof NAMES)[string] } | { custom: DefinedField })

/**
 * Columns with the name of a defined custom field are read as such, and so are those named `custom_fields.<key>`.
 * @throws {CommandFailure} when the columns are not named
 */
export function readCustomers(bytes: Uint8Array, defined: DefinedField[]): CustomerSheet {
  const [header, ...rows] = parseCsv(bytes)
  if (!header) throw new CommandFailure('The file is empty: its first line names the columns, “full_name” among them.')
  const headers = header.cells.map((cell) => cell.trim())
  const columns = headers.flatMap((name, at) => columnOf(name, at, defined))
  const fields = columns.map((column) => ('field' in column ? column.field : `custom_fields.${column.custom.key}`))
  const twice = fields.find((field, at) => fields.indexOf(field) !== at)
  if (twice) throw new CommandFailure(`Two columns are for ${printable(twice)}.`)
  if (!fields.includes('full_name')) {
    const there = headers.map((name) => `“${printable(name)}”`).join(', ')
    throw new CommandFailure(`The file has no column “full_name”: its first line names ${there}.`)
  }
  const sheet: CustomerSheet = { lines: [], faults: [], ignored_columns: [] }
  sheet.ignored_columns = headers.filter((name, at) => name !== '' && !columns.some((column) => column.at === at))
  const seen = new Map<string, number>()
  for (const row of rows) {
    const read = readLine(row, columns, headers.length)
    const faults = Array.isArray(read) ? read : repeated(read, seen)
    sheet.faults.push(...faults)
    if (!Array.isArray(read) && faults.length === 0) sheet.lines.push(read)
  }
  return sheet
}

function columnOf(header: string, at: number, defined: DefinedField[]): Column[] {
  const field = NAMES[header.toLowerCase()]
  if (field) return [{ header, at, field }]
  const [, named] = /^custom_fields\.(.+)$/.exec(header) ?? []
  const custom =
    defined.find(({ key }) => key === (named ?? header)) ??
    (named && { key: named, type: 'string' as const, options: null })
  return custom ? [{ header, at, custom }] : []
}

function readLine(row: Row, columns: Column[], count: number): Line | Fault[] {
  const { line } = row
  const cells = cellsOf(row, count)
  if (cells === undefined) {
    const message = `has ${row.cells.length} cells, the first line ${count}: are quotes missing around a comma?`
    return [{ line, column: '', message }]
  }
  const faults: Fault[] = []
  const customer: Line['customer'] = { full_name: '' }
  for (const column of columns) {
    // Composed, as the API keeps texts: the same letters are the same id.
    const text = cells[column.at]!.trim().normalize()
    if (text === '') {
      if ('field' in column && column.field === 'full_name')
        faults.push({ line, column: column.header, message: 'is empty' })
    } else if ('custom' in column) {
      const { key, type } = column.custom
      if (type === 'number' && NUMBER.test(text) && !isKept(text)) {
        faults.push({
          line,
          column: column.header,
          message: 'is a number that would be rounded; use a field of type string',
        })
      } else customer.custom_fields = { ...customer.custom_fields, [key]: typed(text, type) }
    } else if (column.field === 'tags') customer.tags = listed(text)
    else if (column.field === 'phone') {
      customer.phone = plainPhone(text)
      const message = phoneFault(customer.phone, text)
      if (message) faults.push({ line, column: column.header, message })
    } else customer[column.field] = text
  }
  return faults.length > 0 ? faults : { line, customer }
}

const NUMBER = /^-?\d+(\.\d+)?$/

/** A text that is not a number stays a text, and the check of the customer reports it. */
function typed(text: string, type: string): unknown {
  if (type === 'number') return NUMBER.test(text) ? Number(text) : text
  if (type === 'boolean') return /^(true|yes|1)$/i.test(text) ? true : /^(false|no|0)$/i.test(text) ? false : text
  return type === 'string[]' ? listed(text) : text
}

/** Several in one cell, separated by bars or semicolons. */
function listed(text: string): string[] {
  const list = text.split(/[|;]/).map((part) => part.trim())
  return list.filter(Boolean)
}

/** A duplicate would create the person twice. */
function repeated({ line, customer }: Line, seen: Map<string, number>): Fault[] {
  for (const column of ['phone', 'email', 'external_id'] as const) {
    const value = customer[column]
    if (value === undefined) continue
    const key = `${column} ${column === 'external_id' ? value : value.toLowerCase()}`
    const before = seen.get(key)
    if (before !== undefined) return [{ line, column, message: `is that of line ${before}, too` }]
    seen.set(key, line)
  }
  return []
}
