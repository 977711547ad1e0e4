/**
 * The part of an answer that may be seen before the answer is whole.
 *
 *  D1 A link that is not allowed ends the draft before it. A word that is not finished may become one.
 *  D2 A sentence is shown up to the first word that may belong to a promise of a person, until its end says that it is none. A
 *     promise takes the draft away.
 *  D3 Citations and marks of the transcript are left out.
 */
import type { Source } from '../tools/tool.ts'
import { cleaned, strangersIn, withoutEmptyLinks } from './check_answer.ts'
import { takeCitations } from './citations.ts'
import { allowedKeys } from './links.ts'
import { promisesPerson } from './promises.ts'
import { reachOf, type TextLimit } from './split.ts'
import { sureLength } from './sure_length.ts'

type AnswerDraftOptions = {
  sources: readonly Source[]
  allowed_links: readonly string[]
  text_limit: TextLimit
}

/** The end of the last sentence that another one follows. */
const ENDS = /[.!?…؟;؛](?=\s)|[\n。！？；]/g
/** The end of a word. Scripts without spaces have no link in their own signs. */
const WORD_ENDS = /[\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}。，、！？]/u
/** Characters of a sentence. A longer one ends the draft. */
const MAX_SENTENCE = 2_000
/** Characters of a citation or a mark in brackets. */
const MAX_BRACKET = 120

export class AnswerDraft {
  readonly #options: AnswerDraftOptions
  readonly #allowed_links: ReadonlySet<string>
  /** The text of whole sentences. */
  #shown = ''
  /** Characters that were not looked at as a whole sentence. */
  #pending = ''
  #is_closed = false

  constructor(options: AnswerDraftOptions) {
    this.#options = options
    this.#allowed_links = allowedKeys(options.allowed_links)
  }

  add(delta: string): void {
    if (!this.#is_closed) this.#pending += delta
  }

  /** The text so far. Each call looks at what came since the last one, and at the sentence that goes on. */
  get text(): string {
    this.#settle()
    const text = this.#is_closed ? this.#shown : this.#shown + this.#begun()
    return text.slice(0, reachOf(text, this.#options.text_limit)).trim()
  }

  /** Looks at the sentences that have ended. */
  #settle(): void {
    if (this.#is_closed) return
    const end = [...this.#pending.matchAll(ENDS)].at(-1)
    const at = end ? end.index + end[0].length : 0
    const sentences = this.#pending.slice(0, at)
    const is_open = openBracket(sentences) !== -1
    // Sentences that end within brackets wait, and each look costs as much as they are long.
    if (this.#pending.length - (is_open ? 0 : at) > MAX_SENTENCE) this.#is_closed = true
    if (!end || is_open) return
    this.#pending = this.#pending.slice(at)
    if (promisesPerson(sentences)) {
      this.#is_closed = true
      this.#shown = ''
      return
    }
    const { text, has_stranger } = this.#allowed(sentences)
    this.#shown += text
    const is_full = reachOf(this.#shown, this.#options.text_limit) < this.#shown.length
    this.#is_closed ||= has_stranger || is_full
  }

  /** The sentence that goes on, as far as it is sure. */
  #begun(): string {
    let end = this.#pending.length
    while (end > 0 && !WORD_ENDS.test(this.#pending[end - 1]!)) end--
    const bracket = openBracket(this.#pending.slice(0, end))
    const whole = this.#pending.slice(0, bracket === -1 ? end : bracket)
    return this.#allowed(whole.slice(0, sureLength(whole))).text
  }

  #allowed(text: string): { text: string; has_stranger: boolean } {
    const { sources } = this.#options
    const [stranger] = strangersIn(text, this.#allowed_links)
    const safe = stranger ? withoutEmptyLinks(text.slice(0, stranger.from)) : text
    return { text: takeCitations(cleaned(safe), sources).text, has_stranger: stranger !== undefined }
  }
}

/** The place of a bracket at the end that may become a citation or a mark; -1 where there is none. */
function openBracket(text: string): number {
  const at = text.lastIndexOf('[')
  if (at === -1 || text.length - at > MAX_BRACKET) return -1
  return text.includes(']', at) || text.includes('\n', at) ? -1 : at
}
