/** Finds paragraphs and headings in lines of print, by their distances and sizes, and leaves out running heads. */

export type Line = {
  text: string
  /** Height of its letters, in points. */
  size: number
  /** Height of its base line on the page, in points from the bottom. */
  y: number
  page: number
}

/** Lines at the start and at the end of a page that may be its number or a running head. */
const MARGIN_LINES = 2
/** A running head is on at least so many pages, and on at least this part of all pages. */
const LEAST_HEADS = 3
const LEAST_PART = 0.3

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
  const text_lines = withoutMargins(lines)
  const body = bodySize(text_lines)
  let best: { mark: string; text: string } | undefined
  const blocks = paragraphs(text_lines).map((paragraph) => {
    const text = joined(paragraph)
    const mark = paragraph.length <= MOST_HEADING_LINES ? headingMark(paragraph[0]!, body, text) : ''
    if (mark === '') return text
    const line = text.replaceAll('\n', ' ')
    if (!best || mark.length < best.mark.length) best = { mark, text: line }
    return mark + line
  })
  return { content: blocks.join('\n\n'), heading: best?.text ?? null }
}

/**
 * The lines without page numbers, and without the heads and feet that recur on many pages. The first of equal heads
 * stays: it may be the title.
 */
function withoutMargins(lines: readonly Line[]): Line[] {
  const pages = [...Map.groupBy(lines, ({ page }) => page).values()]
  const counts = new Map<string, number>()
  for (const page of pages) {
    for (const key of new Set(page.filter((_, at) => isMargin(at, page.length)).map(headOf))) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const least = Math.max(LEAST_HEADS, LEAST_PART * pages.length)
  const seen = new Set<string>()
  return pages.flatMap((page) =>
    page.filter((line, at) => {
      const head = headOf(line)
      if (!isMargin(at, page.length) || (counts.get(head) ?? 0) < least) return true
      const is_first = head !== '#' && !seen.has(head)
      seen.add(head)
      return is_first
    }),
  )
}

function isMargin(at: number, length: number): boolean {
  return at < MARGIN_LINES || at >= length - MARGIN_LINES
}

/** The same for heads that differ in numbers alone. */
function headOf({ text }: Line): string {
  return text.replaceAll(/\d+/g, '#')
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
