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
const MIN_HEADS = 3
const MIN_PART = 0.3
/** Numbers of a line that may be the page's. */
const MAX_NUMBERS = 4
/** Words for a page, in small letters. */
const PAGE = new Set(
  'page pages seite página pagina pàgina pág pag pg p s str strona strana стр страница сторінка sida side sivu sayfa oldal halaman trang σελίδα صفحة עמוד หน้า'.split(
    ' ',
  ),
)
/** Words for a page in languages without spaces. */
const PAGE_WITHIN = /[页頁쪽]|ページ|페이지/u
/** A mark belongs to its letter. */
const WORD = /[\p{L}\p{M}]+/gu

/**
 * True for a line that can be a page's number: a number, or one beside the word for a page. "Lesson 3" on the third page is
 * its heading.
 */
function canBeNumber(form: string): boolean {
  const words = form.toLowerCase().match(WORD)
  return words === null || words.some((word) => PAGE.has(word)) || PAGE_WITHIN.test(form)
}

/** A head is so many times the usual distance of lines away from the text. */
const APART = 1.25

/** A distance of more lines than this begins a paragraph. */
const PARAGRAPH_GAP = 1.7
/** Sizes of headings as multiples of the body's, with their levels. */
const HEADINGS = [
  [1.6, '# '],
  [1.3, '## '],
  [1.12, '### '],
] as const
const MAX_HEADING_LENGTH = 200
/** A heading may run over a few lines. */
const MAX_HEADING_LINES = 3

/** `heading` is the first one of the highest level that occurs. */
export function markdownOf(lines: readonly Line[]): { content: string; heading: string | null } {
  const text_lines = withoutMargins(lines)
  const body = bodySize(text_lines)
  let best: { mark: string; text: string } | undefined
  const blocks = paragraphs(text_lines).map((paragraph) => {
    const text = joined(paragraph)
    const mark = paragraph.length <= MAX_HEADING_LINES ? headingMark(paragraph[0]!, body, text) : ''
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
  const middle = new Set(pages.flatMap((page) => page.filter((_, at) => !isMargin(at, page.length)).map(formOf)))
  const margins = pages.flatMap((page) => page.filter((_, at) => isMargin(at, page.length) && isApart(page, at)))
  const least = Math.max(MIN_HEADS, MIN_PART * pages.length)
  const left_out = new Set<Line>()
  for (const [form, alike] of Map.groupBy(margins, formOf)) {
    // A row of a list looks like those in the middle of the page.
    if (middle.has(form)) continue
    const is_number = canBeNumber(form)
    for (const heads of [...Map.groupBy(alike, ({ text }) => text).values(), ...(is_number ? numbered(alike) : [])]) {
      if (new Set(heads.map(({ page }) => page)).size < least) continue
      const [first, second, ...others] = heads
      for (const head of [second!, ...others]) left_out.add(head)
      if (form === '#' && first!.text !== second!.text) left_out.add(first!)
    }
  }
  return pages.flatMap((page) => {
    const kept = page.filter((line) => !left_out.has(line))
    return kept.length > 0 ? kept : page
  })
}

/**
 * Lines that differ in the number of the page alone, which may begin anywhere. Each group counts the pages in one of
 * the places where a line has a number.
 */
function numbered(lines: readonly Line[]): Line[][] {
  const places = numbersOf(lines[0]!).length
  return Array.from({ length: Math.min(places, MAX_NUMBERS) }, (_, place) => {
    const groups = Map.groupBy(lines, (line) => {
      const numbers = numbersOf(line)
      const others = numbers.filter((_, at) => at !== place)
      return `${Number(numbers[place]) - line.page} ${others.join(' ')}`
    })
    return [...groups.values()]
  }).flat()
}

function numbersOf({ text }: Line): string[] {
  return text.match(/\d+/g) ?? []
}

function isMargin(at: number, length: number): boolean {
  return at < MARGIN_LINES || at >= length - MARGIN_LINES
}

/** More space is between the line and the middle of the page than between the lines of the page, or it has another size. */
function isApart(page: readonly Line[], at: number): boolean {
  const line = page[at]!
  const inner = at < MARGIN_LINES ? page[MARGIN_LINES] : page[page.length - MARGIN_LINES - 1]
  // A page of a few lines has no middle to differ from.
  if (!inner || page.length <= 2 * MARGIN_LINES) return false
  if (Math.abs(line.size - inner.size) > 0.5) return true
  const gaps = page.slice(1).map(({ y }, index) => Math.abs(page[index]!.y - y))
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)] ?? 0
  const [from, to] = at < MARGIN_LINES ? [at, MARGIN_LINES] : [page.length - MARGIN_LINES - 1, at]
  return gaps.slice(from, to).some((gap) => gap > APART * usual)
}

/** The same for lines that differ in numbers alone. */
function formOf({ text }: Line): string {
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
    const is_divided = next !== undefined && /\p{L}[-\u00ad]$/u.test(text.slice(-4)) && /^\p{Ll}/u.test(next)
    parts.push(is_divided ? text.slice(0, -1) : text, is_divided || next === undefined ? '' : '\n')
  }
  return parts.join('')
}

function headingMark({ size }: Line, body: number, text: string): string {
  if (text.length > MAX_HEADING_LENGTH || body === 0) return ''
  return HEADINGS.find(([times]) => size >= times * body)?.[1] ?? ''
}
