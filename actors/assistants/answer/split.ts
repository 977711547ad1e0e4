/** Divides a text that is too long for one message. */
import type { Composing } from '../../providers/mod.ts'

export type TextLimit = Composing['text_limit']

/** Places at which a text may be divided, the best first. */
const BREAKS = ['\n\n', '\n', '. ', '! ', '? ', '。', '！', '？', '؟ ', '; ', ', ', ' ']

/** Parts within the limit, which end with a sentence where they can. `rest`: what did not fit into `most` parts. */
export function splitText(text: string, limit: TextLimit, most: number): { parts: string[]; rest: string } {
  const parts: string[] = []
  let rest = text.trim()
  while (rest !== '' && parts.length < most) {
    const end = endIn(rest, reachOf(rest, limit))
    parts.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return { parts, rest }
}

/** Characters of the text that are within the limit. None is divided. */
export function reachOf(text: string, { most, unit }: TextLimit): number {
  let used = 0
  let reach = 0
  for (const character of text) {
    used += unit === 'characters' ? character.length : Buffer.byteLength(character)
    if (used > most) break
    reach += character.length
  }
  return reach
}

/** Parts are at least half as long as they may be. */
function endIn(text: string, reach: number): number {
  if (reach === text.length) return reach
  const window = text.slice(0, reach)
  for (const sign of BREAKS) {
    const at = window.lastIndexOf(sign)
    if (at >= window.length / 2) return at + sign.length
  }
  return reach
}
