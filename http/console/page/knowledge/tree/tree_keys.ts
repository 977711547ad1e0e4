/** The keys that move in a tree. No DOM. */

import { folded } from '../folded.ts'
import type { Row } from './tree_nodes.ts'

/** Time within which letters belong together. */
const TYPING_MS = 800

/** The line that a key leads to; undefined when it leads nowhere. `typed` is the text typed so far. */
export function destination(
  rows: readonly Row[],
  at: number,
  key: string,
  typed: { text: string; at: number },
  now: number,
) {
  const row = rows[at]
  if (key === 'ArrowDown') return Math.min(rows.length - 1, at + 1)
  if (key === 'ArrowUp') return Math.max(0, at - 1)
  if (key === 'Home') return 0
  if (key === 'End') return rows.length - 1
  if (key === 'ArrowRight') return row?.kind === 'node' && row.is_open ? at + 1 : undefined
  if (key === 'ArrowLeft') {
    const above = rows.findLastIndex((one, index) => index < at && one.level < (row?.level ?? 1))
    return above < 0 ? undefined : above
  }
  if (key.length !== 1 || !/[\p{L}\p{N}]/u.test(key)) return undefined
  typed.text = now - typed.at < TYPING_MS ? typed.text + folded(key) : folded(key)
  typed.at = now
  // The same letter again goes on to the next; more letters stay where they fit.
  const is_one = [...typed.text].every((letter) => letter === typed.text[0])
  const text = is_one ? typed.text.charAt(0) : typed.text
  for (let step = is_one ? 1 : 0; step < rows.length + 1; step++) {
    const to = (at + step) % rows.length
    const one = rows[to]
    if (one?.kind === 'node' && folded(one.node.name).startsWith(text)) return to
  }
  return undefined
}
