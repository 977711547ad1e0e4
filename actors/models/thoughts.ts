/**
 * Thoughts that a model writes into its answer, between tags at its beginning. Services with a parser for thoughts give them in a
 * field of their own, which is not read; others, such as vLLM and Ollama without one, leave them in the text. People must not see
 * them.
 */

const OPENING = /^\s*<(think|thinking|reasoning)>/
const CLOSING = /<\/(?:think|thinking|reasoning)>/
const TAGS = ['<think>', '<thinking>', '<reasoning>']

type State = 'unknown' | 'thinking' | 'answering'

/** The pieces of a streamed answer without its thoughts. Each call costs as much as its piece is long. */
export class ThoughtFilter {
  #state: State = 'unknown'
  /** Characters that were not judged. */
  #rest = ''
  #closing = ''

  /** The part of this piece, and of pieces that were kept, that belongs to the answer. */
  add(delta: string): string {
    if (this.#state === 'answering') return delta
    this.#rest += delta
    if (this.#state === 'unknown') this.#state = this.#begun()
    if (this.#state === 'thinking') this.#state = this.#thought()
    if (this.#state !== 'answering') return ''
    const text = this.#rest
    this.#rest = ''
    return text
  }

  #begun(): State {
    this.#rest = this.#rest.trimStart()
    const tag = OPENING.exec(this.#rest)
    if (!tag) return TAGS.some((opening) => opening.startsWith(this.#rest)) ? 'unknown' : 'answering'
    this.#closing = `</${tag[1]}>`
    this.#rest = this.#rest.slice(tag[0].length)
    return 'thinking'
  }

  #thought(): State {
    const at = this.#rest.indexOf(this.#closing)
    // The closing tag may have begun.
    this.#rest = this.#rest.slice(at === -1 ? -(this.#closing.length - 1) : at + this.#closing.length)
    return at === -1 ? 'thinking' : 'answering'
  }
}

/** A whole answer without its thoughts. Some templates open them in the question, so that the answer has the closing tag alone. */
export function withoutThoughts(text: string): string {
  if (OPENING.test(text)) return new ThoughtFilter().add(text)
  const closing = CLOSING.exec(text)
  return closing ? text.slice(closing.index + closing[0].length) : text
}
