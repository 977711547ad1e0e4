/** Finds paragraphs and headings in lines of print, by their distances and sizes. */

export type Line = {
  text: string
  /** Height of its letters, in points. */
  size: number
  /** Height of its base line on the page, in points from the bottom. */
  y: number
  page: number
}

/** A distance of more lines than this begins a paragraph. */
const PARAGRAPH_GAP = 1.7
/** Sizes of headings as multiples of the body's, with their levels. */
const HEADINGS = [
  [1.6, '# '],
  [1.3, '## '],
  [1.12, '### '],
] as const
const LONGEST_HEADING = 200
/** A heading may run over a few lines. */
const MOST_HEADING_LINES = 3

/** `heading` is the first one of the highest level that occurs. */
export function markdownOf(lines: readonly Line[]): { content: string; heading: string | null } {
  const body = bodySize(lines)
  let best: { mark: string; text: string } | undefined
  const blocks = paragraphs(lines).map((paragraph) => {
    const text = joined(paragraph)
    const mark = paragraph.length <= MOST_HEADING_LINES ? headingMark(paragraph[0]!, body, text) : ''
    if (mark === '') return text
    const line = text.replaceAll('\n', ' ')
    if (!best || mark.length < best.mark.length) best = { mark, text: line }
    return mark + line
  })
  return { content: blocks.join('\n\n'), heading: best?.text ?? null }
}

/** The size in which most of the text is printed. */
function bodySize(lines: readonly Line[]): number {
  const lengths = new Map<number, number>()
  for (const { size, text } of lines) lengths.set(size, (lengths.get(size) ?? 0) + text.length)
  let [best, most] = [0, 0]
  for (const [size, length] of lengths) if (length > most) [best, most] = [size, length]
  return best
}

function paragraphs(lines: readonly Line[]): Line[][] {
  const all: Line[][] = []
  let last: Line | undefined
  for (const line of lines) {
    if (last && continues(last, line)) all.at(-1)!.push(line)
    else all.push([line])
    last = line
  }
  return all
}

function continues(last: Line, line: Line): boolean {
  if (last.page !== line.page || Math.abs(last.size - line.size) > 0.5) return false
  const gap = last.y - line.y
  return gap >= 0 && gap <= PARAGRAPH_GAP * Math.max(line.size, 1)
}

/** Lines stay lines, so that tables can be read. A word that a hyphen divides is put together. */
function joined(lines: readonly Line[]): string {
  const parts: string[] = []
  for (const [at, { text }] of lines.entries()) {
    const next = lines[at + 1]?.text
    const is_divided = next !== undefined && /\p{L}-$/u.test(text.slice(-4)) && /^\p{Ll}/u.test(next)
    parts.push(is_divided ? text.slice(0, -1) : text, is_divided || next === undefined ? '' : '\n')
  }
  return parts.join('')
}

function headingMark({ size }: Line, body: number, text: string): string {
  if (text.length > LONGEST_HEADING || body === 0) return ''
  return HEADINGS.find(([times]) => size >= times * body)?.[1] ?? ''
}
