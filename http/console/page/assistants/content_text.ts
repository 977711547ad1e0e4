/** The text of a version. One that was saved as a structure is written with the conventions of texts. No DOM. */

import type { BlockVersion } from '../records/assistant.ts'

type Item = { kind: string; text: string; level?: number; number?: number; spaced?: boolean; items?: Item[] }

export function textOf({ content, payload }: Pick<BlockVersion, 'content' | 'payload'>) {
  if (content !== undefined) return content
  const lines: string[] = []
  write(lines, (payload?.items ?? []) as Item[], '')
  return lines.join('\n')
}

function write(lines: string[], items: Item[], indent: string) {
  let was_paragraph = false
  for (const { kind, text, spaced, items: below = [], ...item } of items) {
    const is_paragraph = kind === 'paragraph'
    if (lines.length > 0 && (spaced || (is_paragraph && was_paragraph))) lines.push('')
    was_paragraph = is_paragraph
    if (is_paragraph) for (const line of text.split('\n')) lines.push(indent + line)
    else lines.push(`${indent}${markOf(kind, item)} ${text}`)
    write(lines, below, `${indent}  `)
  }
}

function markOf(kind: string, { level = 1, number = 1 }: Pick<Item, 'level' | 'number'>) {
  if (kind === 'bullet') return '-'
  return kind === 'number' ? `${number}.` : '#'.repeat(level)
}
