/** Spreadsheets run what begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/
/** A plus sign and digits is only a number. */
const HARMLESS = /^\+\d+$/

/** One line of a CSV file (RFC 4180). A cell that a spreadsheet would run begins with an apostrophe instead. */
export function csvLine(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

function cell(value: string | number | null | undefined): string {
  if (typeof value !== 'string') return value == null ? '' : String(value)
  const text = FORMULA.test(value) && !HARMLESS.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
