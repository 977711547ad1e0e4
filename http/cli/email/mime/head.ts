/**
 * The header of a mail or of a part, as mail programs read it: blank lines before it, line ends of any kind, text that
 * follows without a blank line. One character stands for one byte. One pass.
 */

/** Fields in their order. Names in lower case; folded lines are one, with a space where they were folded. */
export type Fields = readonly (readonly [name: string, value: string])[]

export type Divided = { fields: Fields; body: string }

const MAX_HEAD_LENGTH = 1024 * 1024
/** A text without a blank line before it is found within so many lines. */
const MAX_BROKEN_LINES = 50
const FIELD = /^([!-9;-~]{1,200})[ \t]*:/
/** Words that are surely a field's name, not the begin of a sentence. */
const KNOWN =
  /^(?:[\w!#$%&'*+.^`|~]+(?:-[\w!#$%&'*+.^`|~]+)+|from|to|cc|bcc|subject|date|sender|received|comments|keywords|importance|priority|precedence|organization|organisation|sensitivity|encrypted|lines|status|autosubmitted|newsgroups|path|xref|distribution|approved|control|action)$/i
const PARAMETER = /^[ \t]+[\w*-]{1,60}[ \t]*=/

/** `is_part`: nothing before a part is skipped. @throws for a header that is too long */
export function divideHead(text: string, is_part = false): Divided {
  const lines = new Lines(text)
  let at = is_part ? 0 : startOf(lines)
  const fields: [string, string[]][] = []
  const begin = at
  while (at < text.length) {
    if (at - begin > MAX_HEAD_LENGTH) throw new Error('The header is too long.')
    const { line, next } = lines.at(at)
    const last = fields.at(-1)
    if (line.trim() === '') {
      const is_folded = last?.[1].at(-1)?.endsWith(';') && PARAMETER.test(lines.at(next).line.slice(0, 100))
      if (!is_folded) return { fields: joined(fields), body: text.slice(next) }
    } else if (last && /^[ \t]/.test(line)) {
      last[1].push(line.trim())
    } else {
      const name = nameIn(line)
      if (name) fields.push([name, [line.slice(line.indexOf(':') + 1).trim()]])
      else if (line.startsWith('--') || !hasFieldsAfter(lines, next)) {
        return { fields: joined(fields), body: text.slice(at) }
      }
    }
    at = next
  }
  return withoutBlankLine(lines, begin, fields)
}

/** No blank line follows the header: lines at its end that are no known fields are the text. */
function withoutBlankLine(lines: Lines, begin: number, fields: [string, string[]][]): Divided {
  const known = fields.findLastIndex(([name]) => KNOWN.test(name)) + 1
  let at = begin
  for (let seen = 0; at < lines.text.length; ) {
    const { line, next } = lines.at(at)
    if (nameIn(line)) seen += 1
    if (seen > known) break
    at = next
  }
  return { fields: joined(fields.slice(0, known)), body: lines.text.slice(at) }
}

/** Behind blank lines, a byte order mark and the first line of a mailbox file. */
function startOf(lines: Lines): number {
  let at = lines.text.startsWith('\xef\xbb\xbf') ? 3 : 0
  while (at < lines.text.length) {
    const { line, next } = lines.at(at)
    if (line.trim() !== '' && !/^>?From /.test(line)) break
    at = next
  }
  return at
}

/** A known field before the next blank line: what stands before it is only a broken line. */
function hasFieldsAfter(lines: Lines, from: number): boolean {
  let at = from
  for (let count = 0; count < MAX_BROKEN_LINES && at < lines.text.length; count++) {
    const { line, next } = lines.at(at)
    if (line.trim() === '' || line.startsWith('--')) return false
    if (KNOWN.test(nameIn(line) ?? '')) return true
    at = next
  }
  return false
}

function nameIn(line: string): string | undefined {
  return line.startsWith('--') ? undefined : FIELD.exec(line.slice(0, 300))?.[1]?.toLowerCase()
}

/** Lines end with LF, CR LF or, in the headers of some scripts, with CR alone. */
class Lines {
  readonly text: string
  /** The next LF from a place on, so that a text without any is searched once. */
  #from = 0
  #feed = -1

  constructor(text: string) {
    this.text = text
  }

  at(at: number): { line: string; next: number } {
    const { text } = this
    if (at < this.#from || at > this.#feed) {
      this.#from = at
      this.#feed = indexOrEnd(text.indexOf('\n', at), text)
    }
    const end = this.#feed
    const line = text.slice(at, end)
    const stray = line.indexOf('\r')
    if (stray >= 0 && stray < line.length - 1) return { line: line.slice(0, stray), next: at + stray + 1 }
    return { line: stray < 0 ? line : line.slice(0, -1), next: Math.min(end + 1, text.length) }
  }
}

function indexOrEnd(index: number, text: string): number {
  return index < 0 ? text.length : index
}

function joined(fields: [string, string[]][]): Fields {
  return fields.map(([name, lines]) => [name, lines.join(' ').trim()] as const)
}

/** The last field of the name that is not empty: a program that adds one means it. */
export function fieldOf(fields: Fields, name: string): string | undefined {
  return fields.findLast(([each, value]) => each === name && value !== '')?.[1]
}

/** All values of a field. */
export function fieldsNamed(fields: Fields, name: string): string[] {
  return fields.filter(([each, value]) => each === name && value !== '').map(([, value]) => value)
}
