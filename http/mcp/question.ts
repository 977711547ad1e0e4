/** The question that a person answers before an operation that cannot be undone. */
import { canonical } from './confirmation.ts'
import type { OperationTool } from './tools/catalogue.ts'

/** Characters of one argument that are shown. */
const MAX_ARGUMENT_LENGTH = 120

/** Controls, and characters that are not seen or turn the direction of a text: they could make it look like another. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Shows each argument, so that a long one does not hide the others. */
export function question({ name, summary }: OperationTool, sent: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(sent)
    .sort()
    .map((argument) => `${argument}: ${brief(sent[argument])}`)
  return `${asked(summary)} This cannot be undone. ${name} ${names.join(', ')}`
}

/** "Delete a file; its links end." asks "Delete a file? Its links end." */
function asked(summary: string): string {
  const [action, ...effects] = summary.replace(/\.$/, '').split('; ')
  return [`${action}?`, ...effects.map((effect) => `${effect[0]!.toUpperCase()}${effect.slice(1)}.`)].join(' ')
}

function brief(value: unknown): string {
  const text = canonical(value) ?? ''
  const count = Array.isArray(value) && value.length > 1 ? ` (${value.length} items)` : ''
  const cut = text.length > MAX_ARGUMENT_LENGTH ? `${text.slice(0, MAX_ARGUMENT_LENGTH).toWellFormed()}…` : text
  return cut.replace(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`) + count
}
