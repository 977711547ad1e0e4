/**
 * Shows a visitor of the web chat the answer while the model writes it. A draft is no message: it is published and stored nowhere, and
 * pages that miss it get the message all the same.
 *
 *  V1 A draft is seen only while the conversation is as the model saw it. It is compared several times a second, because no other
 *     node would tell this one.
 *  V2 A draft ends with the message that replaces it, or is taken away.
 */
import type { AnswerDraft } from '../assistants/mod.ts'
import type { VisitorSign } from '../providers/mod.ts'

/** Milliseconds between two drafts. */
const DRAFT_MS = 50
/** Milliseconds between two looks at the conversation. */
const LOOK_MS = 300
/** Pages show for some seconds that somebody writes. */
const LOOKS_A_REPEAT = 10
/** Looks after a whole answer, in which its message arrives. */
const LAST_LOOKS = 5

export type VisitorDraftOptions = {
  turn_id: string
  visitor: { channel_id: string; user_id: string }
  assistant_name: string
  draft: AnswerDraft
  tell: (sign: VisitorSign) => unknown
  /** True while the conversation is as the model saw it. */
  isCurrent: () => Promise<boolean>
}

export class VisitorDraft {
  readonly #options: VisitorDraftOptions
  readonly #looking: NodeJS.Timeout
  #telling: NodeJS.Timeout | undefined
  #told_at = Number.NEGATIVE_INFINITY
  #told = ''
  #looks = 0
  #last_looks = Number.POSITIVE_INFINITY
  #is_over = false

  /** Tells at once that the assistant writes. */
  constructor(options: VisitorDraftOptions) {
    this.#options = options
    this.#looking = setInterval(() => void this.#look(), LOOK_MS)
    this.#looking.unref()
    this.#tell()
  }

  add(delta: string): void {
    if (this.#is_over) return
    this.#options.draft.add(delta)
    const wait_ms = this.#told_at + DRAFT_MS - performance.now()
    if (wait_ms <= 0) this.#grow()
    else this.#telling ??= setTimeout(() => this.#grow(), wait_ms)
  }

  /** The model has ended. `leaves`: the answer is about to be sent. */
  end(leaves: boolean): void {
    if (this.#telling) this.#grow()
    if (leaves) this.#last_looks = this.#looks + LAST_LOOKS
    else this.#takeAway()
  }

  #grow(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    const { text } = this.#options.draft
    if (text === this.#told || this.#is_over) return
    this.#told = text
    this.#tell()
  }

  #tell(): void {
    const { turn_id, visitor, assistant_name: name, tell } = this.#options
    this.#told_at = performance.now()
    const draft = { turn_id, text: this.#told }
    tell({ ...visitor, typing: { agent: { name, photo_url: null }, typing: !this.#is_over, draft } })
  }

  async #look(): Promise<void> {
    this.#looks++
    // A database that cannot be read says nothing about the conversation.
    const is_current = await this.#options.isCurrent().catch(() => true)
    if (!is_current || this.#looks >= this.#last_looks) this.#takeAway()
    else if (this.#looks % LOOKS_A_REPEAT === 0 && !this.#is_over) this.#tell()
  }

  #takeAway(): void {
    if (this.#is_over) return
    this.#is_over = true
    clearInterval(this.#looking)
    clearTimeout(this.#telling)
    this.#told = ''
    this.#tell()
  }
}
