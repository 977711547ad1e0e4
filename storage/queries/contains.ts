import { literal } from '../write_set.ts'

/** A condition: the column, which holds lower case, contains the text in any case. `%`, `_` and `\` are literal. */
export function contains(column: string, text: string): string {
  return `${column} like lower(${literal(`%${escaped(text)}%`)})`
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
