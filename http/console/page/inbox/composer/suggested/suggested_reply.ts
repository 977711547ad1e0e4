/** A reply that an assistant suggests for a ticket: the agent gets it as a draft, and sends it or not. No DOM. */

import { batch, signal } from '@preact/signals'
import { reasonText } from '../../../crm/turn_reasons.ts'
import type { ProjectApi } from '../../../data/project_api.ts'
import type { Fault } from '../../../records/fault.ts'

/** Longer than an assistant may take. */
const PATIENCE_MS = 60_000

/** The answer of the operation, as far as it is shown. */
type Reply = { outcome: string; text: string | null; reason: string | null; sources: { title: string }[] }

export type SuggestedState =
  | { kind: 'asking'; name: string }
  /** The text is in the field. `before`: what was there; `text`: what is there now. */
  | { kind: 'written'; name: string; sources: string[]; answer: string; before: string; text: string }
  /** The assistant would leave the ticket to people. */
  | { kind: 'left'; name: string; reason: string | null }
  | { kind: 'failed'; name: string; fault: Fault }

/** The field of the reply. `began_at`: the time of the conversation from which the text answers. */
type Field = { read(): string; write(text: string, began_at?: string): void; now(): string }

export class SuggestedReply {
  state = signal<SuggestedState | null>(null)
  readonly #api: Pick<ProjectApi, 'post'>
  readonly #ticket_id: string
  readonly #field: Field
  #asking: AbortController | undefined

  constructor(api: Pick<ProjectApi, 'post'>, ticket_id: string, field: Field) {
    this.#api = api
    this.#ticket_id = ticket_id
    this.#field = field
  }

  /** The text goes to the end of what is written already. */
  async ask({ _id, name }: { _id: string; name: string }) {
    this.dismiss()
    const asking = new AbortController()
    this.#asking = asking
    this.state.value = { kind: 'asking', name }
    const began_at = this.#field.now()
    const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(PATIENCE_MS)])
    try {
      const path = `assistants/${_id}/reply`
      const { reply } = await this.#api.post<{ reply: Reply }>(path, { ticket_id: this.#ticket_id }, { signal })
      if (this.#asking === asking) this.#show(name, reply, began_at)
    } catch (error) {
      if (this.#asking === asking) this.state.value = { kind: 'failed', name, fault: error as Error }
    }
  }

  /** Takes the suggestion out of the field again, with what was written around it left. */
  undo() {
    const state = this.state.peek()
    if (state?.kind === 'written') {
      const now = this.#field.read()
      this.#field.write(now === state.text ? state.before : without(now, state.answer))
    }
    this.dismiss()
  }

  /** Gives up a suggestion that was asked for, and says no more of one that is there. */
  dismiss() {
    this.#asking?.abort()
    this.#asking = undefined
    this.state.value = null
  }

  #show(name: string, { outcome, text: answer, reason, sources }: Reply, began_at: string) {
    if (outcome === 'failed') {
      this.state.value = { kind: 'failed', name, fault: { message: reasonText(reason ?? 'empty') } as Error }
      return
    }
    if (outcome !== 'answered' || answer === null) {
      this.state.value = { kind: 'left', name, reason }
      return
    }
    const before = this.#field.read()
    const text = before.trim() === '' ? answer : `${before.trimEnd()}\n\n${answer}`
    batch(() => {
      this.#field.write(text, began_at)
      const titles = sources.map(({ title }) => title)
      this.state.value = { kind: 'written', name, sources: titles, answer, before, text }
    })
  }
}

function without(text: string, answer: string) {
  const [before = '', ...after] = text.split(answer)
  return [before.trimEnd(), after.join(answer).trim()].filter(Boolean).join('\n\n')
}
