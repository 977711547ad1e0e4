/**
 * The regular expressions of a source file, found by reading it as a row of tokens. It knows as much of TypeScript as tells
 * a regular expression from a division, a string and a comment, in code as the formatter leaves it.
 */

export type Found = { line: number; source: string; flags: string }

/** After one of these a slash begins a regular expression. */
const BEFORE_A_VALUE = new Set('( , = : [ ! & | ? { } ; + - * % ~ ^ < >'.split(' '))
const WORDS_BEFORE_A_VALUE = new Set(
  'return typeof case in of delete void throw new else do yield await instanceof'.split(' '),
)
/** Stands where a pattern is put together from parts. */
const PART = 'x'

/** Literals, and the first argument of `RegExp(…)` when it is a string or a template. */
export function regularExpressionsIn(source: string): Found[] {
  return new Scanner(source).run()
}

class Scanner {
  readonly #text: string
  readonly #found: Found[] = []
  /** The last tokens: a word, a sign, or `value` for what has a value by itself. */
  #last = ''
  #before = ''
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): Found[] {
    this.#code('')
    return this.#found
  }

  /** Up to the brace that ends it, for the code inside a template. */
  #code(end: string): void {
    let depth = 0
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at]!
      if (sign === end && depth === 0) return
      if (sign === '{') depth += 1
      if (sign === '}') depth -= 1
      this.#token(sign)
    }
  }

  #token(sign: string): void {
    const rest = this.#text.slice(this.#at, this.#at + 2)
    if (/\s/.test(sign)) this.#at += 1
    else if (rest === '//') this.#at = this.#endOf('\n', this.#at)
    else if (rest === '/*') this.#at = this.#endOf('*/', this.#at + 2)
    else if (sign === '"' || sign === "'") this.#string(sign)
    else if (sign === '`') this.#template()
    else if (/[\w$#@\u0080-\uffff]/.test(sign)) this.#word()
    else if (sign === '/' && this.#beginsValue() && this.#literal()) return
    else this.#push(sign, 1)
  }

  #push(token: string, length: number): void {
    // `name!` is a value; `!name` begins one.
    const is_postfix = token === '!' && !this.#beginsValue()
    this.#before = this.#last
    this.#last = is_postfix ? 'value' : token
    this.#at += length
  }

  #beginsValue(): boolean {
    return this.#last === '' || BEFORE_A_VALUE.has(this.#last) || WORDS_BEFORE_A_VALUE.has(this.#last)
  }

  #word(): void {
    const word = /^[\w$#@\u0080-\uffff]+/.exec(this.#text.slice(this.#at, this.#at + 200))![0]
    // A name after a dot is never a keyword.
    if (this.#last === '.' || /^\d/.test(word)) {
      this.#push('value', word.length)
      this.#last = word === 'RegExp' ? word : 'value'
    } else this.#push(word, word.length)
  }

  #endOf(mark: string, from: number): number {
    const at = this.#text.indexOf(mark, from)
    return at < 0 ? this.#text.length : at + mark.length
  }

  #string(quote: string): void {
    const from = this.#at
    let at = from + 1
    while (at < this.#text.length && this.#text[at] !== quote) at += this.#text[at] === '\\' ? 2 : 1
    this.#pattern(this.#text.slice(from + 1, at), from)
    this.#push('value', at + 1 - from)
  }

  #template(): void {
    const from = this.#at
    const [last, before] = [this.#last, this.#before]
    let content = ''
    this.#at += 1
    while (this.#at < this.#text.length && this.#text[this.#at] !== '`') {
      if (this.#text.startsWith('${', this.#at)) {
        this.#at += 2
        this.#last = '{'
        this.#code('}')
        content += PART
      } else {
        const length = this.#text[this.#at] === '\\' ? 2 : 1
        content += this.#text.slice(this.#at, this.#at + length)
        this.#at += length
        continue
      }
      this.#at += 1
    }
    this.#last = last
    this.#before = before
    this.#pattern(content, from)
    this.#push('value', 1)
  }

  /** A string is one when it is the first argument of `RegExp`. */
  #pattern(content: string, from: number): void {
    if (this.#last !== '(' || this.#before !== 'RegExp') return
    const flags = /^\W?\s*,\s*'([a-z]*)'/.exec(this.#text.slice(this.#afterString(from)))?.[1] ?? ''
    this.#add(
      content.replaceAll(/\\(.)/g, (all, escaped) => (escaped === '\\' || escaped === '`' ? escaped : all)),
      flags,
      from,
    )
  }

  /** Strings are found before they are passed over, templates after. */
  #afterString(from: number): number {
    const quote = this.#text[from]!
    if (quote === '`') return this.#at
    return this.#text.indexOf(quote, from + 1)
  }

  /** False when it is none after all: it does not end on its line. */
  #literal(): boolean {
    const [all, source, flags] = LITERAL.exec(this.#text.slice(this.#at, this.#at + 2_000)) ?? []
    if (all === undefined) return false
    this.#add(source!, flags!, this.#at)
    this.#push('value', all.length)
    return true
  }

  #add(source: string, flags: string, at: number): void {
    this.#found.push({ line: this.#text.slice(0, at).split('\n').length, source, flags })
  }
}

const LITERAL = /^\/((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/
