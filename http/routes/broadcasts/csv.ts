/** Spreadsheets run a cell with such a beginning as a formula. */
const FORMULA = /^[=+\-@\t\r]/
/** A plus sign with digits is only a number. */
const HARMLESS = /^\+\d+$/

/** One line of a CSV file (RFC 4180). An apostrophe is put in front of a cell that a spreadsheet would run. */
export function csvLine(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

function cell(value: string | number | null | undefined): string {
  if (typeof value !== 'string') return value == null ? '' : String(value)
  const text = FORMULA.test(value) && !HARMLESS.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
