/** The text of a paragraph: emphasis, links and line breaks as Markdown has them, white space as browsers show it. */
import { parseUrl } from '../../../../outbound/parse_url.ts'
import { attribute, type Element } from './nodes.ts'

/** Characters that no text has stand for the signs of Markdown until the whole paragraph is known. */
const MARKS = { strong: '\ufdd0', em: '\ufdd1', del: '\ufdd2', code: '\ufdd3' } as const
const SIGNS: Record<string, string> = { '\ufdd0': '**', '\ufdd1': '*', '\ufdd2': '~~', '\ufdd3': '`' }
const BREAK = '\ufdd4'
/** A space, unless there is one already. */
const APART = '\ufdd5'
/** The end and the start of an element in a line: a space, where the two meet. */
const [LEFT, ENTERED] = ['\ufdd6', '\ufdd7']
export type Mark = (typeof MARKS)[keyof typeof MARKS]

const MARK_OF: Record<string, Mark> = {
  b: MARKS.strong,
  strong: MARKS.strong,
  i: MARKS.em,
  em: MARKS.em,
  cite: MARKS.em,
  dfn: MARKS.em,
  del: MARKS.del,
  s: MARKS.del,
  strike: MARKS.del,
  code: MARKS.code,
}
/** Those, and hyphens that are seen at the end of a line alone: with them, no search finds the word. */
const RESERVED = /[\ufdd0-\ufdd7\u00ad]/g
const RAISED: Record<string, string> = Object.fromEntries(
  [...'0123456789+-()'].map((sign, at) => [sign, '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾'[at]!]),
)

export type InlineStyle = 'paragraph' | 'line' | 'cell'

/** Collects what a paragraph says. */
export class Inline {
  #parts: string[] = []

  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  text(text: string): void {
    if (text !== '') this.#parts.push(text.replaceAll(RESERVED, ''))
  }

  /** Text whose marks are set already. */
  marked(text: string): void {
    if (text !== '') this.#parts.push(text)
  }

  break(): void {
    this.#parts.push(BREAK)
  }

  /** Ends a word. */
  apart(): void {
    this.#parts.push(APART)
  }

  /** An element that some pages set apart from the next one by style alone. */
  enter(): void {
    this.#parts.push(ENTERED)
  }

  leave(): void {
    this.#parts.push(LEFT)
  }

  mark(mark: Mark | undefined): void {
    if (mark) this.#parts.push(mark)
  }

  /** Takes all that was collected. */
  take(): string {
    const all = this.#parts.join('')
    this.#parts = []
    return all
  }
}

export function markOf({ tagName }: Element): Mark | undefined {
  return MARK_OF[tagName]
}

/** Digits above the line, so that a price with raised cents is no other number. */
export function raised(text: string): string {
  const signs = [...text.trim()]
  return signs.length > 0 && signs.every((sign) => RAISED[sign]) ? signs.map((sign) => RAISED[sign]).join('') : text
}

/** The paragraph as Markdown. Empty when it says nothing. */
export function inlineMarkdown(collected: string, style: InlineStyle = 'paragraph'): string {
  const spaced = collected
    // No-break spaces are words' friends in print, and foes of a search.
    .replaceAll(/[ \t\n\f\r\u00a0]+/g, ' ')
  return broken(signed(joined(spaced)), style)
}

/** Puts one space where elements stand apart without one. */
function joined(text: string): string {
  const parts: string[] = []
  let last = ' '
  let gap: 'none' | 'left' | 'apart' = 'none'
  for (const piece of text.split(/([\ufdd4-\ufdd7 ])/)) {
    if (piece === '') continue
    if (piece === APART) gap = 'apart'
    else if (piece === LEFT) gap = gap === 'apart' ? gap : 'left'
    else if (piece === ENTERED) gap = gap === 'none' ? gap : 'apart'
    else {
      const is_space = piece === ' ' || piece === BREAK
      // A mark alone is no word: the space goes before the word that it opens.
      const word = is_space ? '' : (/[^\ufdd0-\ufdd3]/.exec(piece)?.[0] ?? '')
      if (gap === 'apart' && last !== ' ' && !NOT_BEFORE.test(word) && !is_space && !NOT_AFTER.test(last)) {
        parts.push(' ')
        last = ' '
      }
      if (piece !== ' ' || last !== ' ') parts.push(piece)
      if (is_space) last = ' '
      else if (word !== '') last = piece.at(-1)!
      if (is_space || word !== '') gap = 'none'
    }
  }
  return parts.join('')
}

const NOT_BEFORE = /[,.;:!?)\]}%»”’…]/
const NOT_AFTER = /[([{«“‘/]/

/** Replaces marks by signs where Markdown understands them: around text, and not within a word. */
function signed(text: string): string {
  if (!/[\ufdd0-\ufdd3]/.test(text)) return text
  const pieces = text.split(/([\ufdd0-\ufdd3])/)
  const open = new Map<string, number>()
  const partner = new Map<number, number>()
  for (let at = 1; at < pieces.length; at += 2) {
    const begun = open.get(pieces[at]!)
    if (begun === undefined) open.set(pieces[at]!, at)
    else {
      partner.set(begun, at)
      partner.set(at, begun)
      open.delete(pieces[at]!)
    }
  }
  const out = [...pieces]
  for (let at = 1; at < pieces.length; at += 2) {
    const end = partner.get(at)
    if (end === undefined) out[at] = ''
    else if (end > at) sign(pieces, out, at, end)
  }
  return out.join('')
}

/** Spaces inside go outside, because a sign beside a space is none. */
function sign(pieces: readonly string[], out: string[], start: number, end: number): void {
  const [first, last] = [out[start + 1]!, end - 1]
  const is_empty = end === start + 2 && first.trim() === ''
  const before = pieces[start - 1]!.at(-1) ?? ' '
  const after = pieces[end + 1]!.at(0) ?? ' '
  const inner = [first.trimStart().at(0) ?? '', out[last]!.trimEnd().at(-1) ?? '']
  const cuts_word =
    (isWord(before) && first === first.trimStart() && isWord(inner[0]!)) ||
    (isWord(after) && out[last] === out[last]!.trimEnd() && isWord(inner[1]!))
  const has_break = pieces.slice(start, Math.min(end, start + 64)).some((piece) => piece.includes(BREAK))
  const mark = is_empty || cuts_word || has_break || end - start > 64 ? '' : SIGNS[pieces[start]!]!
  const lead = first.length - first.trimStart().length
  const tail = out[last]!.length - out[last]!.trimEnd().length
  if (mark !== '' && first.trim() !== '' && lead > 0) {
    out[start + 1] = first.trimStart()
    out[start] = ` ${mark}`
  } else out[start] = mark
  if (mark !== '' && out[last]!.trim() !== '' && tail > 0) {
    out[last] = out[last]!.trimEnd()
    out[end] = `${mark} `
  } else out[end] = mark
}

function isWord(sign: string): boolean {
  return /[\p{L}\p{N}]/u.test(sign)
}

const ENDS: Record<InlineStyle, string> = { paragraph: '  \n', line: ' ', cell: ' / ' }

function broken(text: string, style: InlineStyle): string {
  const lines = text
    .split(BREAK)
    .map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
    .filter((line) => line !== '')
  return lines.join(ENDS[style])
}

/** The text of a link that says more than its address. */
export function linked(text: string, address: string | undefined): string {
  if (address === undefined) return text
  let [start, end] = [0, text.length]
  while (start < end && isAround(text[start]!)) start++
  while (end > start && isAround(text[end - 1]!)) end--
  const said = text.slice(start, end)
  const bare = address.replace(/^(?:mailto|tel):/i, '')
  if (said === '' || said === bare || said === address || /[[\]]/.test(said)) return text
  return `${text.slice(0, start)}[${said}](${address})${text.slice(end)}`
}

function isAround(sign: string): boolean {
  return sign === APART || sign === LEFT || sign === ENTERED || sign === BREAK || sign.trim() === ''
}

/** The absolute address of a link that leads somewhere else; undefined for places on the page and for scripts. */
export function addressOf(element: Element, name: string, base: string | null): string | undefined {
  const value = attribute(element, name)?.trim()
  if (!value || value.length > 2_000 || value.startsWith('#') || /^(?:javascript|data|blob|vbscript):/i.test(value))
    return undefined
  const address = parseUrl(value, base ?? undefined)?.href ?? value
  return address.replaceAll(' ', '%20').replaceAll('(', '%28').replaceAll(')', '%29')
}
