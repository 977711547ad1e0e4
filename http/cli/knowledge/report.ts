/** The result of a round of imports. */
import { printable } from '../terminal/terminal.ts'

export type ImportFailure = { source: string; code: string; message: string }

/** A part of a source that its document lacks. */
export type ImportWarning = { code: string; message: string; count: number }

export type Report = {
  imported: { source: string; node_id: string }[]
  failed: ImportFailure[]
  /** Parts that the documents lack, also those that the project has already. */
  warnings: ({ source: string; node_id: string } & ImportWarning)[]
  /** Files that the project has already. */
  unchanged: number
  /** Files with other endings. */
  ignored: number
}

export function newReport(): Report {
  return { imported: [], failed: [], warnings: [], unchanged: 0, ignored: 0 }
}

export function failureLine({ source, message }: Pick<ImportFailure, 'source' | 'message'>): string {
  return `${printable(source)}: ${printable(message)}`
}

/** Navigation is left out of all pages, and is no part of what they say. */
export function isLoss({ code }: ImportWarning): boolean {
  return code !== 'navigation_left_out'
}

/** Documents that lack a part of their source. */
export function lacking({ warnings }: Report): number {
  return new Set(warnings.filter(isLoss).map(({ node_id }) => node_id)).size
}

export function summaryOf(report: Report): string {
  const { imported, failed, unchanged, ignored } = report
  const parts = [`${imported.length} imported`]
  if (unchanged > 0) parts.push(`${unchanged} unchanged`)
  if (failed.length > 0) parts.push(`${failed.length} failed`)
  if (ignored > 0) parts.push(`${ignored} of other types left out`)
  if (lacking(report) > 0) parts.push(`${lacking(report)} in part`)
  return `${parts.join(', ')}.`
}
