/** HTML excerpts of texts with the searched words marked. */

/** Characters shown of a long text, around the first match. */
const MAX = 160
/** Characters shown before the first match. */
const BEFORE = 40

/**
 * The matches in a text. `whole`: searched words that stand there as whole words. `part`: searched words that begin a
 * word there or, with `anywhere`, stand inside one.
 */
export type Held = { html: string; whole: Set<string>; part: Set<string> }

/** Undefined when the text has no match. `words` are folded. */
export function highlight(text: string, words: string[], anywhere: boolean): Held | undefined {
  const { folded, at } = foldWithPlaces(text)
  const marks: { from: number; to: number }[] = []
  const whole = new Set<string>()
  const part = new Set<string>()
  for (const word of words) {
    for (let from = folded.indexOf(word); from >= 0; from = folded.indexOf(word, from + word.length)) {
      const to = from + word.length
      const begins = from === 0 || !isInWord(folded[from - 1]!)
      if (!begins && !anywhere) continue
      ;(begins && !isInWord(folded[to] ?? ' ') ? whole : part).add(word)
      marks.push({ from: at[from]!, to: at[to]! })
    }
  }
  if (marks.length === 0) return undefined
  marks.sort((a, b) => a.from - b.from || b.to - a.to)
  return { html: render(text, marks), whole, part }
}

/** Removes case and accents. */
export function fold(text: string): string {
  return foldWithPlaces(text).folded
}

/** `at` maps each unit of the folded text, and its end, to its place in the text. */
function foldWithPlaces(text: string): { folded: string; at: number[] } {
  let folded = ''
  const at: number[] = []
  let place = 0
  for (const character of text) {
    const plain = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    for (let unit = 0; unit < plain.length; unit++) at.push(place)
    folded += plain
    place += character.length
  }
  at.push(place)
  return { folded, at }
}

function isInWord(character: string): boolean {
  return /[\p{L}\p{N}\p{M}]/u.test(character)
}

function render(text: string, marks: { from: number; to: number }[]): string {
  const start = text.length <= MAX ? 0 : whereCharacterBegins(text, Math.max(0, marks[0]!.from - BEFORE))
  const end = text.length <= MAX ? text.length : whereCharacterBegins(text, Math.min(text.length, start + MAX))
  let html = start > 0 ? '…' : ''
  let place = start
  for (const { from, to } of marks) {
    if (to <= place || to > end) continue
    const begin = Math.max(from, place)
    html += `${escapeHtml(text.slice(place, begin))}<em>${escapeHtml(text.slice(begin, to))}</em>`
    place = to
  }
  return html + escapeHtml(text.slice(place, end)) + (end < text.length ? '…' : '')
}

/** Moves a place between the halves of a surrogate pair to the pair's beginning. */
function whereCharacterBegins(text: string, place: number): number {
  return /^[\udc00-\udfff]/.test(text.slice(place, place + 1)) ? place - 1 : place
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
