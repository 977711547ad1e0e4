/**
 * Texts as people write them on WhatsApp: `*bold*`, `_italic_`, `~struck~`, and code between backquotes. No DOM, no state.
 */

/** `href`: a link behind other words than its address. */
export type Part =
  | { text: string }
  | { link: string }
  | { href: string; parts: Part[] }
  | { tag: 'strong' | 'em' | 's' | 'code'; parts: Part[] }

const TAGS: Partial<Record<string, 'strong' | 'em' | 's'>> = { '*': 'strong', _: 'em', '~': 's' }
const LINK = /https?:\/\/[^\s<>"']{1,2000}[^\s<>"'.,:;!?)\]]/gi
const FENCE = '```'

/** True for messages of channels that show marks. */
export function hasMarks({ channel }: { channel?: string }) {
  return channel === 'whatsapp' || channel === 'whatsapp_qr'
}

/** The parts of a text, and its links. With `has_marks`, marks become tags. */
export function partsOf(text: string, has_marks: boolean): Part[] {
  const reader = new Reader()
  let at = 0
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const link = has_marks ? withoutMarksAtEnd(found) : found
    // Code may have begun before the link, and have ended behind it.
    if (index < at) continue
    at = reader.read(text, at, index, has_marks)
    if (at > index) continue
    reader.add({ link })
    at = index + link.length
  }
  reader.read(text, at, text.length, has_marks)
  return reader.end()
}

/** Reads a text once, from its beginning to its end. */
class Reader {
  /** The marks that are open, below them the text itself. */
  #open: { mark: string; parts: Part[] }[] = [{ mark: '', parts: [] }]
  /** Marks that have no end in the rest of the text. */
  #endless = new Set<string>()
  #said = ''

  add(part: Part) {
    this.#flush()
    this.#open.at(-1)?.parts.push(part)
  }

  /** Reads from one place to another; returns where it ended, which is later when code goes on. */
  read(text: string, from: number, to: number, has_marks: boolean) {
    if (!has_marks) {
      this.#said += text.slice(from, to)
      return to
    }
    let at = from
    while (at < to) {
      const letter = text[at] ?? ''
      const code = letter === '`' ? this.#codeAt(text, at) : undefined
      if (code) {
        this.add({ tag: 'code', parts: [{ text: code.text }] })
        at = code.end
        continue
      }
      // A mark counts within its line.
      if (letter === '\n') this.#closeDownTo(0)
      if (!TAGS[letter] || !this.#mark(text, at, letter)) this.#said += letter
      at++
    }
    return at
  }

  /** Ends the text. */
  end() {
    this.#closeDownTo(0)
    this.#flush()
    return this.#open[0]?.parts ?? []
  }

  /** Opens or closes a mark. Returns false when the character is none. */
  #mark(text: string, at: number, mark: string) {
    const before = text[at - 1] ?? ''
    const after = text[at + 1] ?? ''
    const opened = this.#open.findIndex((one) => one.mark === mark)
    if (opened > 0) {
      const is_empty = opened === this.#open.length - 1 && this.#said === '' && this.#open[opened]?.parts.length === 0
      if (is_empty || isSpace(before) || isWord(after)) return false
      this.#closeDownTo(opened)
      this.#flush()
      const parts = this.#open.pop()?.parts ?? []
      this.#open.at(-1)?.parts.push({ tag: TAGS[mark] ?? 's', parts })
      return true
    }
    if (isSpace(after) || isWord(before)) return false
    this.#flush()
    this.#open.push({ mark, parts: [] })
    return true
  }

  /** Marks above this one have no end: they are characters. */
  #closeDownTo(place: number) {
    while (this.#open.length > place + 1) {
      this.#flush()
      const { mark = '', parts = [] } = this.#open.pop() ?? {}
      const below = this.#open.at(-1)?.parts
      below?.push({ text: mark })
      // One by one: as arguments of a call, those of a long text would not fit on the stack.
      for (const part of parts) below?.push(part)
    }
  }

  /** The code that begins here, if it ends. */
  #codeAt(text: string, at: number) {
    const fence = text.startsWith(FENCE, at) ? FENCE : '`'
    if (this.#endless.has(fence)) return undefined
    const from = at + fence.length
    const end = text.indexOf(fence, from)
    if (end < 0) this.#endless.add(fence)
    const code = text.slice(from, Math.max(from, end))
    if (end < 0 || code.trim() === '' || (fence === '`' && code.includes('\n'))) return undefined
    return { text: code, end: end + fence.length }
  }

  #flush() {
    if (this.#said === '') return
    this.#open.at(-1)?.parts.push({ text: this.#said })
    this.#said = ''
  }
}

/** A mark right behind a link belongs to the text. */
function withoutMarksAtEnd(link: string) {
  let end = link.length
  while ('*_~`'.includes(link[end - 1] ?? ' ')) end--
  return link.slice(0, end)
}

function isSpace(letter: string) {
  return letter.trim() === ''
}

function isWord(letter: string) {
  return /[\p{L}\p{N}]/u.test(letter)
}
