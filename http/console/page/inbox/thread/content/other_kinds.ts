/** Messages of kinds that have no view of their own: what they hold, as names and values. No DOM. */

import { nameOfType } from '../../../crm/preview.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { aroundFields } from './surroundings_of.ts'

/** Lines that are shown, and characters of each. */
const MAX_LINES = 16
const MAX_LETTERS = 300
const MAX_DEPTH = 6
const OWN = new Set(['type', 'kind', 'unsupported_type', 'caption', 'entities', 'errors', ...aroundFields])

/** The values of a content, in their order; `left_out` counts the others. */
export function linesOf(content: AnyRecord): { lines: [name: string, value: string][]; left_out: number } {
  const lines: [string, string][] = []
  let left_out = 0
  const add = (value: unknown, path: string[], depth: number) => {
    if (value === null || value === undefined || value === '') return
    if (typeof value !== 'object') {
      if (lines.length === MAX_LINES) left_out++
      else lines.push([path.join(' · ') || nameOfType(content.kind ?? 'unsupported'), shortened(String(value))])
    } else if (depth === MAX_DEPTH) left_out++
    else {
      for (const [name, one] of Object.entries(value)) {
        add(one, Array.isArray(value) ? path : [...path, name.replaceAll('_', ' ')], depth + 1)
      }
    }
  }
  for (const [name, value] of Object.entries(content)) {
    // The kind is shown above.
    if (!OWN.has(name)) add(value, name === content.kind ? [] : [name.replaceAll('_', ' ')], 0)
  }
  return { lines, left_out }
}

function shortened(text: string) {
  return text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS)}…` : text
}
