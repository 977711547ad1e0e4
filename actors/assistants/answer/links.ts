/**
 * Links in texts, also those without a scheme, which chats turn into links. Two links are the same when they lead to the
 * same place: the host counts without its case, and neither the fragment nor a slash or punctuation at the end counts.
 */
import { parseUrl } from '../../outbound/mod.ts'

/** Links of one text that are looked at. Further ones are not allowed anywhere. */
const MAX_LINKS = 1_000
const MAX_LENGTH = 2_048

export type FoundLink = { from: number; to: number; key: string }

/** The links of a text in their order. */
export function findLinks(text: string): FoundLink[] {
  const found: FoundLink[] = []
  for (const match of text.matchAll(/[^\s<>"`|\\^{}]+/g)) {
    if (found.length >= MAX_LINKS) break
    found.push(...linksOfWord(match[0], match.index))
  }
  return found
}

/** Keys of the links in a text, each once. */
export function linksIn(text: string): string[] {
  return [...new Set(findLinks(text).map(({ key }) => key))]
}

/** The links that an answer may have. The front page of a host counts with any page of it. */
export function allowedKeys(keys: Iterable<string>): Set<string> {
  const allowed = new Set<string>()
  for (const key of keys) allowed.add(key).add(key.split(/[/?]/, 1)[0]!)
  return allowed
}

function linksOfWord(word: string, place: number): FoundLink[] {
  const lower = word.toLowerCase()
  const starts = startsIn(lower)
  if (starts.length === 0) {
    const from = word.length - word.replace(/^[^\p{L}\p{N}]+/u, '').length
    return isBareHost(trimmed(word.slice(from))) ? linkAt(word, from, word.length, place) : []
  }
  return starts.flatMap((from, at) => linkAt(word, from, starts[at + 1] ?? word.length, place))
}

/** The places at which schemes begin; else that of `www.`. */
function startsIn(lower: string): number[] {
  const starts: number[] = []
  for (let at = lower.indexOf('http'); at !== -1; at = lower.indexOf('http', at + 4)) {
    if (lower.startsWith('http://', at) || lower.startsWith('https://', at)) starts.push(at)
  }
  const www = lower.indexOf('www.')
  return starts.length > 0 || www === -1 ? starts : [www]
}

function linkAt(word: string, from: number, end: number, place: number): FoundLink[] {
  const link = trimmed(word.slice(from, end))
  const key = keyOf(link)
  return key === undefined ? [] : [{ from: place + from, to: place + from + link.length, key }]
}

/** Something too long to be an address has a key that no other link has. Undefined for no link. */
function keyOf(link: string): string | undefined {
  if (link.length > MAX_LENGTH) return 'too long'
  const url = parseUrl(/^https?:\/\//i.test(link) ? link : `https://${link}`)
  if (!url?.host) return undefined
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/$/, '')}${url.search}`
}

const ENDINGS = new Set(
  ['com net org info biz io co app shop store online site link live dev ai ly me gg tv cc to xyz top click club icu']
    .concat('es mx ar cl pe uy br pt fr de at ch it nl be pl tr ru ua cn jp kr in uk ie us ca au eu sa ae eg ma')
    .join(' ')
    .split(' '),
)

/** `shop.example.com/cart`. Two sentences without a space between them are no host: `Thanks.It works`. */
function isBareHost(word: string): boolean {
  if (word.includes('@')) return false
  const host = word.split(/[/?#:]/, 1)[0]!
  const labels = host.split('.')
  if (host.length > 253 || labels.length < 2 || !labels.every((label) => /^[\p{L}\p{N}-]+$/u.test(label))) return false
  const ending = labels.at(-1)!
  if (!ENDINGS.has(ending.toLowerCase())) return false
  return ending.length > 2 || ending === ending.toLowerCase() || ending === ending.toUpperCase()
}

const OPENING: Record<string, string> = { ')': '(', ']': '[', '）': '（', '】': '【' }
const PUNCTUATION = ".,;:!?*_~'。，；：！？、」』》»”’…"

/** The link without the punctuation of the sentence behind it. */
function trimmed(link: string): string {
  let end = link.length
  /** Closing signs without an opening one. Each sign is searched for once: a word may consist of them. */
  const alone = new Map<string, boolean>()
  while (end > 0) {
    const last = link[end - 1]!
    const opening = OPENING[last]
    if (opening && !alone.has(last)) alone.set(last, !link.includes(opening))
    if (opening ? !alone.get(last) : !PUNCTUATION.includes(last)) break
    end -= 1
  }
  return link.slice(0, end)
}
