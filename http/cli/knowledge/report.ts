/** The result of a round of imports. */
import { printable } from '../terminal.ts'

export type ImportFailure = { source: string; code: string; message: string }

export type Report = {
  imported: { source: string; node_id: string }[]
  failed: ImportFailure[]
  /** Files that the project has already. */
  unchanged: number
  /** Files with other endings. */
  ignored: number
}

export function newReport(): Report {
  return { imported: [], failed: [], unchanged: 0, ignored: 0 }
}

export function failureLine({ source, message }: ImportFailure): string {
  return `${printable(source)}: ${printable(message)}`
}

export function summaryOf({ imported, failed, unchanged, ignored }: Report): string {
  const parts = [`${imported.length} imported`]
  if (unchanged > 0) parts.push(`${unchanged} unchanged`)
  if (failed.length > 0) parts.push(`${failed.length} failed`)
  if (ignored > 0) parts.push(`${ignored} of other types left out`)
  return `${parts.join(', ')}.`
}
