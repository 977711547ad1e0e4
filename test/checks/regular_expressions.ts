/**
 * Finds the regular expressions of a source file by reading it as a sequence of tokens. It knows just enough TypeScript
 * to tell a regular expression from a division, a string and a comment, in code that the formatter has formatted.
 */

export type Found = { line: number; source: string; flags: string }

/** A slash after one of these tokens begins a regular expression. */
const BEFORE_A_VALUE = new Set('( , = : [ ! & | ? { } ; + - * % ~ ^ < >'.split(' '))
const WORDS_BEFORE_A_VALUE = new Set(
  'return typeof case in of delete void throw new else do yield await instanceof'.split(' '),
)
/** Stands for the parts that code inserts into a pattern. */
const PART = 'x'

/** Returns the literals, and the first argument of each `RegExp(…)` that is a string or a template. */
export function regularExpressionsIn(source: string): Found[] {
  return new Scanner(source).run()
}

class Scanner {
  readonly #text: string
  readonly #found: Found[] = []
  /** The last token: a word, a sign, or `value` for an expression that has a value. */
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

  /** Reads up to the brace that ends the code inside a template. */
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

  /** Keeps the string when it is the first argument of `RegExp`. */
  #pattern(content: string, from: number): void {
    if (this.#last !== '(' || this.#before !== 'RegExp') return
    const flags = /^\W?\s*,\s*'([a-z]*)'/.exec(this.#text.slice(this.#afterString(from)))?.[1] ?? ''
    this.#add(
      content.replaceAll(/\\(.)/g, (all, escaped) => (escaped === '\\' || escaped === '`' ? escaped : all)),
      flags,
      from,
    )
  }

  /** The scanner finds a string before it has read it, and a template after. */
  #afterString(from: number): number {
    const quote = this.#text[from]!
    if (quote === '`') return this.#at
    return this.#text.indexOf(quote, from + 1)
  }

  /** Returns false when the slash begins no literal: none ends on its line. */
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
