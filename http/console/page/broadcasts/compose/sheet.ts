/** The recipients in the rows of a file: who gets the message, and which rows nobody can be made of. No DOM. */
import type { Person, Row, Sheet, Source } from './composition_form.ts'

/** Maximum of the API. */
export const MAX_PEOPLE = 5000
/** The shape that the API asks for. */
const E164 = /^\+[1-9]\d{6,14}$/
const MAX_VALUE_LENGTH = 4096
const SHOWN = 40
/** Rows that are looked at to guess what a column holds. */
const LOOKED_AT = 20
const PHONE_NAMES =
  /^(phone|phone.?number|tel|telephone|tel[eé]fono|telefon|celular|m[oó]vil|mobile|cell|whatsapp|number)$/i

/** Reads the rows with these choices. `variables` are those that the template needs. */
export function readSheet({
  rows,
  has_head,
  phone_at,
  variables,
  sources,
}: {
  rows: readonly Row[]
  has_head: boolean
  phone_at: number
  variables: readonly string[]
  sources: Readonly<Record<string, Source>>
}): Sheet {
  const width = rows[0]?.cells.length ?? 0
  const names = columnNames(rows, has_head)
  const sheet: Sheet = { people: [], faults: [], repeated: [], total: 0 }
  const lines = new Map<string, number>()
  for (const row of has_head ? rows.slice(1) : rows) {
    sheet.total++
    const found = personIn(row, { width, names, phone_at, variables, sources })
    if (typeof found === 'string') {
      sheet.faults.push({ line: row.line, reason: found })
      continue
    }
    const first_line = lines.get(found.phone)
    if (first_line === undefined) {
      lines.set(found.phone, row.line)
      sheet.people.push(found)
    } else sheet.repeated.push({ line: row.line, phone: found.phone, first_line })
  }
  return sheet
}

/** The person of a row, or the reason why there is none. */
function personIn(
  { line, cells }: Row,
  {
    width,
    names,
    phone_at,
    variables,
    sources,
  }: {
    width: number
    names: string[]
    phone_at: number
    variables: readonly string[]
    sources: Readonly<Record<string, Source>>
  },
): Person | string {
  // Spreadsheets add empty cells to a row, and leave out the last ones that are empty.
  if (cells.slice(width).some((cell) => cell.trim() !== '')) {
    return `has ${cells.length} cells, the first line ${width}: are quotes missing around a comma?`
  }
  const fields = cells[phone_at] ?? ''
  const phone = plainPhone(fields)
  const wrong = phoneFault(phone, fields.trim())
  if (wrong) return wrong
  const values: Record<string, string> = {}
  for (const name of variables) {
    const source = sources[name]
    if (!source) continue
    const cell = source.column === null ? '' : (cells[source.column] ?? '').trim()
    const value = cell === '' ? source.text.trim() : cell
    if (value === '' && source.column !== null) return `${quote(names[source.column] ?? '')} is empty`
    if ([...value].length > MAX_VALUE_LENGTH) return `the text for ${name} has more than ${MAX_VALUE_LENGTH} characters`
    values[name] = value
  }
  return { line, phone, variables: values }
}

/** The names of the columns, as the first row has them or by their place. */
export function columnNames(rows: readonly Row[], has_head: boolean) {
  return (rows[0]?.cells ?? []).map((cell, at) => (has_head && cell.trim()) || `Column ${at + 1}`)
}

/** Removes the characters that people and address books put between the digits, including direction marks. */
export function plainPhone(text: string) {
  return text.replace(/[\s\p{Cf}().\-–/]/gu, '')
}

/**
 * The error of a phone number; undefined when it is valid. It checks the shape only, as the API does.
 *
 * @public for its tests
 * @param original as the file has it
 */
export function phoneFault(phone: string, original: string = phone) {
  if (E164.test(phone)) return undefined
  if (phone === '') return 'has no phone number'
  const what = `${quote(original)} is no phone number: `
  if (/^\d[\d,]*E\+?\d+$/i.test(phone)) return `${what}a spreadsheet has rounded it; format the column as text`
  if (/^\d{7,15}$/.test(phone)) return `${what}it must begin with + and the country code`
  return `${what}+, country code and number, 7 to 15 digits, such as +5215512345678`
}

/** Guesses whether the first row has the names of the columns, and which column has the phones. */
export function guessColumns(rows: readonly Row[]) {
  const [first = { cells: [] }, ...rest] = rows
  const has_head = !first.cells.some((cell) => /\d{6,}/.test(plainPhone(cell)))
  const named = has_head ? first.cells.findIndex((cell) => PHONE_NAMES.test(cell.trim())) : -1
  if (named >= 0) return { has_head, phone_at: named }
  const looked_at = (has_head ? rest : rows).slice(0, LOOKED_AT)
  const counts = first.cells.map(
    (_, at) => looked_at.filter(({ cells }) => /^\+?\d{7,15}$/.test(plainPhone(cells[at] ?? ''))).length,
  )
  return { has_head, phone_at: Math.max(0, counts.indexOf(Math.max(...counts))) }
}

/** Guesses the columns of variables: by their names, else numbered ones by their order. */
export function guessSources(
  variables: readonly string[],
  names: readonly string[],
  phone_at: number,
): Record<string, Source> {
  const plain = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, '')
  const found = variables.map((variable) => names.findIndex((name) => plain(name) === plain(variable)))
  const others = [...names.keys()].filter((at) => at !== phone_at)
  const by_order = found.every((at) => at < 0) && variables.every((name) => /^\d+$/.test(name))
  return Object.fromEntries(
    variables.map((variable, n) => {
      const at = by_order ? (others[n] ?? -1) : (found[n] ?? -1)
      return [variable, { column: at < 0 ? null : at, text: '' }]
    }),
  )
}

function quote(text: string) {
  return `“${text.replace(/\p{Cc}/gu, ' ').slice(0, SHOWN)}”`
}
