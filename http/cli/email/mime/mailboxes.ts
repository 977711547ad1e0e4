/** The people in From, Sender and Reply-To, as mail programs really write them. One pass over each value. */
import { decodeHeader, withoutComments } from './words.ts'

/** The hook repairs the address: blanks, quotes and `mailto:` are still there. */
export type Mailbox = { address: string; name: string }

const MAX_LENGTH = 32_768
const MAX = 100
const MAX_NAME_LENGTH = 300
const MAX_ADDRESS_LENGTH = 512

/** In their order. `hint`: the charset for raw bytes of names. */
export function mailboxesIn(value: string, hint = ''): Mailbox[] {
  const raw = value.slice(0, MAX_LENGTH)
  const found = fromEntries(raw, hint)
  const is_read = found.length > 0 && !found.some(({ name }) => name.includes('=?'))
  if (is_read || !raw.includes('=?')) return found
  // Some programs encode the whole value.
  return fromEntries(Buffer.from(decodeHeader(raw, hint)).toString('latin1'), 'utf-8')
}

function fromEntries(raw: string, hint: string): Mailbox[] {
  const is_group = /;[\s)]*$/.test(raw.slice(-100)) && raw.includes(':')
  const found: Mailbox[] = []
  let before = ''
  for (const entry of entriesOf(is_group ? membersOf(raw) : raw)) {
    const mailbox = /[@<]/.test(entry) ? mailboxOf(before + entry, hint) : undefined
    // A comma in a name: the address follows.
    before = mailbox ? '' : `${before}${entry},`.slice(-MAX_NAME_LENGTH)
    if (mailbox) found.push(mailbox)
    if (found.length === MAX) break
  }
  return found
}

/** Without the label of a group. */
function membersOf(raw: string): string {
  const label = /^(?:[^"<>@:,;]|"[^"]*")*:/.exec(raw)?.[0] ?? ''
  return raw.slice(label.length).replace(/;[\s)]*$/, '')
}

/** Divided at commas and semicolons outside of quotes, brackets and comments. Quotes that are never closed are letters. */
function* entriesOf(raw: string): Generator<string> {
  let begin = 0
  let depth = 0
  let is_quoted = false
  let in_brackets = false
  const last_bracket = raw.lastIndexOf(')')
  for (let at = 0; at < raw.length; at++) {
    const character = raw[at]
    if (character === '\\') at += 1
    else if (is_quoted) is_quoted = character !== '"'
    else if (character === '"') is_quoted = isClosed(raw, at, in_brackets)
    else if (character === '(' && at < last_bracket) depth += 1
    else if (character === ')' && depth > 0) depth -= 1
    else if (depth > 0) continue
    else if (character === '<') in_brackets = true
    else if (character === '>') in_brackets = false
    else if ((character === ',' || character === ';') && !in_brackets) {
      yield raw.slice(begin, at)
      begin = at + 1
    }
  }
  yield raw.slice(begin)
}

/** A quote that is open when the address begins was forgotten: `"Ana <ana@example.com>`. */
function isClosed(raw: string, at: number, in_brackets: boolean): boolean {
  const end = raw.indexOf('"', at + 1)
  return end > 0 && (in_brackets || end < MAX_QUOTED + at)
}

const MAX_QUOTED = 1_000

function mailboxOf(entry: string, hint: string): Mailbox | undefined {
  const open = entry.lastIndexOf('<')
  const inner = open < 0 ? '' : entry.slice(open + 1).split('>', 1)[0]!
  const bracketed = inner.includes('@') ? addressOf(inner, hint) : undefined
  if (bracketed) return { address: bracketed, name: nameOf(entry.slice(0, open), hint) || commentIn(entry, hint) }
  const plain = withoutComments(entry)
  const place = bareAddressIn(plain)
  const address = place && addressOf(plain.slice(place.begin, place.end), hint)
  if (!address) return undefined
  const rest = `${plain.slice(0, place.begin)} ${plain.slice(place.end)}`
  return { address, name: nameOf(/:\s*$/.test(rest) ? '' : rest, hint) || commentIn(entry, hint) }
}

/** The first word with an @ inside, without the label of a group before it. */
function bareAddressIn(text: string): { begin: number; end: number } | undefined {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let begin = text[at - 1] === '"' ? Math.max(0, text.lastIndexOf('"', at - 2)) : at
    while (begin > 0 && at - begin < MAX_ADDRESS_LENGTH && !/[\s<>":,;]/.test(text[begin - 1]!)) begin -= 1
    let end = at + 1
    while (end < text.length && end - at < MAX_ADDRESS_LENGTH && !/[\s<>",;]/.test(text[end]!)) end += 1
    if (begin < at && end > at + 1) return { begin, end }
  }
  return undefined
}

function addressOf(raw: string, hint: string): string | undefined {
  const address = decodeHeader(raw, hint)
  return /[^\s@]\s?@\s?[^\s@]/.test(address) && address.length <= MAX_ADDRESS_LENGTH ? address : undefined
}

function nameOf(raw: string, hint: string): string {
  const text = raw.trim()
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(text) ?? []
  const name = decodeHeader(quoted === undefined ? text : quoted.replaceAll(/\\(.)/g, '$1'), hint)
  const bare = name
    .replace(/^'([^']*)'$/, '$1')
    .replace(/^"|"$/g, '')
    .trim()
  return /[\p{L}\p{N}\p{So}]/u.test(bare) ? bare : ''
}

/** `ana@example.com (Ana)` */
function commentIn(entry: string, hint: string): string {
  return nameOf(/\(([^()]{1,300})\)/.exec(entry)?.[1] ?? '', hint)
}
