/** A reply that an assistant suggests for a ticket: the agent gets it as a draft, and sends it or not. No DOM. */

import { batch, signal } from '@preact/signals'
import type { Project } from '../../../data/project.ts'
import type { Fault } from '../../../records/fault.ts'
import type { Compose } from '../compose.ts'

/** Longer than an assistant may take. */
const PATIENCE_MS = 60_000

/** The answer of the operation, as far as it is shown. */
type Reply = { outcome: string; text: string | null; reason: string | null; sources: { title: string }[] }

export type SuggestedState =
  | { kind: 'asking'; name: string }
  /** The text is in the field. `before`: what was there. */
  | { kind: 'written'; name: string; sources: string[]; before: string; text: string }
  /** The assistant would leave the ticket to people. */
  | { kind: 'left'; name: string; reason: string | null }
  | { kind: 'failed'; name: string; fault: Fault }

export class SuggestedReply {
  state = signal<SuggestedState | null>(null)
  readonly #project: Project
  readonly #compose: Compose
  #asking: AbortController | undefined

  constructor(project: Project, compose: Compose) {
    this.#project = project
    this.#compose = compose
  }

  /** The text goes to the end of what is written already. */
  async ask({ _id, name }: { _id: string; name: string }) {
    this.dismiss()
    const asking = new AbortController()
    this.#asking = asking
    this.state.value = { kind: 'asking', name }
    const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(PATIENCE_MS)])
    try {
      const path = `assistants/${_id}/reply`
      const { reply } = await this.#project.api.post<{ reply: Reply }>(
        path,
        { ticket_id: this.#compose.thread.ticket_id },
        { signal },
      )
      if (this.#asking === asking) this.#show(name, reply)
    } catch (error) {
      if (this.#asking === asking) this.state.value = { kind: 'failed', name, fault: error as Error }
    }
  }

  /** Takes the suggestion out of the field again. */
  undo() {
    const state = this.state.peek()
    if (state?.kind === 'written' && this.#compose.texts.reply.peek() === state.text) this.#write(state.before)
    this.dismiss()
  }

  /** Gives up a suggestion that was asked for, and says no more of one that is there. */
  dismiss() {
    this.#asking?.abort()
    this.#asking = undefined
    this.state.value = null
  }

  #show(name: string, { outcome, text: answer, reason, sources }: Reply) {
    if (outcome === 'failed') {
      this.state.value = { kind: 'failed', name, fault: { message: reason ?? 'The model has failed.' } as Error }
      return
    }
    if (outcome !== 'answered' || answer === null) {
      this.state.value = { kind: 'left', name, reason }
      return
    }
    const before = this.#compose.texts.reply.peek()
    const text = before.trim() === '' ? answer : `${before.trimEnd()}\n\n${answer}`
    batch(() => {
      this.#write(text)
      this.state.value = { kind: 'written', name, sources: sources.map(({ title }) => title), before, text }
    })
  }

  #write(text: string) {
    this.#compose.mode.value = 'reply'
    this.#compose.write(text)
    this.#compose.focus()
  }
}
