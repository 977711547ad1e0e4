/**
 * The parts of a line of Markdown: emphasis, code, links and pictures. HTML stays text. The search for the end of each mark
 * has a limit, so the work grows with the length of the text alone. No DOM.
 */

export type Inline =
  | string
  | { kind: 'strong' | 'em' | 'del'; parts: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'link'; href: string; parts: Inline[] }
  | { kind: 'image'; href: string; text: string }
  | { kind: 'break' }

/** Nesting of blocks, and of parts. */
export const MAX_DEPTH = 8
/** Characters within which a mark must end. */
const REACH = 1_000

const MARK = /\\([!-/:-@[-`{-~])|(`+)|(\*\*|__|~~|\*|_)|(!?)\[|<|https?:\/\/| {2}\n|\n/g
const ADDRESS = /[^\s<>"]+/y

export function inlinesOf(text: string, depth: number = 0): Inline[] {
  const parts: Inline[] = []
  let plain = ''
  const add = (part: Inline) => {
    if (plain !== '') parts.push(plain)
    plain = ''
    parts.push(part)
  }
  let at = 0
  const marks = new RegExp(MARK)
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const { 0: whole, 1: escaped, 2: ticks, 3: mark, 4: bang, index } = found
    plain += text.slice(at, index)
    at = index + whole.length
    const address = whole === '<' || whole.startsWith('http') ? addressAt(text, index, whole === '<') : undefined
    const inside = depth < MAX_DEPTH ? markedAt(text, index, { ticks, mark, bang, depth }) : undefined
    if (inside) {
      add(inside.part)
      at = inside.end
    } else if (escaped !== undefined) plain += escaped
    else if (address !== undefined) {
      add({ kind: 'link', href: address, parts: [address.replace(/^mailto:/, '')] })
      at = index + address.length + (whole === '<' ? 2 : 0)
    } else if (whole.endsWith('\n') && whole.length > 1) add({ kind: 'break' })
    else plain += whole === '\n' ? ' ' : whole
    marks.lastIndex = at
  }
  plain += text.slice(at)
  if (plain !== '') parts.push(plain)
  return parts
}

/** The address in angle brackets, or one that stands in a sentence; undefined when there is none. */
function addressAt(text: string, index: number, is_bracketed: boolean) {
  ADDRESS.lastIndex = is_bracketed ? index + 1 : index
  const [address = ''] = ADDRESS.exec(text) ?? []
  if (!is_bracketed) return withoutPunctuation(address)
  return /^(?:https?:\/\/|mailto:)/.test(address) && text.charAt(ADDRESS.lastIndex) === '>' ? address : undefined
}

/** An address in a sentence ends before its punctuation. */
function withoutPunctuation(address: string) {
  let end = address.length
  while (end > 0 && ".,:;!?)]'*_~".includes(address.charAt(end - 1))) end--
  return address.slice(0, end)
}

/** The part that a mark begins, and the place after it; undefined when the mark does not end, so that it is text. */
function markedAt(
  text: string,
  index: number,
  {
    ticks,
    mark,
    bang,
    depth,
  }: { ticks: string | undefined; mark: string | undefined; bang: string | undefined; depth: number },
): { part: Inline; end: number } | undefined {
  if (ticks !== undefined) {
    const end = endOf(text, ticks, index + ticks.length)
    if (end < 0) return undefined
    const code = text.slice(index + ticks.length, end).replaceAll('\n', ' ')
    const is_padded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
    return { part: { kind: 'code', text: is_padded ? code.slice(1, -1) : code }, end: end + ticks.length }
  }
  if (mark !== undefined) return emphasisAt(text, index, mark, depth)
  if (bang !== undefined) return linkAt(text, index, bang === '!', depth)
  return undefined
}

function emphasisAt(
  text: string,
  index: number,
  mark: string,
  depth: number,
): { part: Inline; end: number } | undefined {
  const start = index + mark.length
  const is_word = mark.startsWith('_')
  if (/\s/.test(text.charAt(start) || ' ') || (is_word && /\w/.test(text.charAt(index - 1)))) return undefined
  const near = text.slice(start, start + REACH)
  for (let at = near.indexOf(mark, 1); at >= 0; at = near.indexOf(mark, at + 1)) {
    const end = start + at
    if (/\s/.test(text.charAt(end - 1)) || text.charAt(end - 1) === '\\') continue
    if (is_word && /\w/.test(text.charAt(end + mark.length))) continue
    if (mark.length === 1 && (text.charAt(end + 1) === mark || text.charAt(end - 1) === mark)) continue
    const parts = inlinesOf(text.slice(start, end), depth + 1)
    const kind = mark === '~~' ? 'del' : mark.length === 2 ? 'strong' : 'em'
    return { part: { kind, parts }, end: end + mark.length }
  }
  return undefined
}

const TARGET =
  /\]\(\s{0,9}<?([^\s<>()]{1,2000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,200})?)>?(?:\s{1,9}["'(][^"')]{0,500}["')])?\s{0,9}\)/y

function linkAt(
  text: string,
  index: number,
  is_image: boolean,
  depth: number,
): { part: Inline; end: number } | undefined {
  const start = index + (is_image ? 2 : 1)
  let open = 1
  let close = start
  for (const limit = Math.min(text.length, start + REACH); close < limit; close++) {
    const letter = text.charAt(close)
    if (letter === '\\') close++
    else if (letter === '[') open++
    else if (letter === ']' && --open === 0) break
  }
  if (open !== 0) return undefined
  TARGET.lastIndex = close
  const target = TARGET.exec(text)
  if (!target) return undefined
  const label = text.slice(start, close)
  const href = target[1] ?? ''
  const end = close + target[0].length
  if (is_image) return { part: { kind: 'image', href, text: label }, end }
  return { part: { kind: 'link', href, parts: inlinesOf(label, depth + 1) }, end }
}

function endOf(text: string, mark: string, from: number) {
  const at = text.slice(from, from + REACH).indexOf(mark)
  return at < 0 ? -1 : from + at
}

/** The address of a link, when it may be opened: only the web and mail, so no link runs code. */
export function safeAddress(href: string) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return undefined
  return href
}
