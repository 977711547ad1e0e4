/**
 * A conversation with an assistant that is only tried: with what is written and not saved. It is on this page alone: neither
 * Parley nor the browser stores it. No DOM.
 */

import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { faultOf } from '../../data/errors.ts'
import type { ProjectApi } from '../../data/project_api.ts'
import type { Fault } from '../../records/fault.ts'
import type { AnyRecord } from '../../records/record.ts'
import type { TriedContent } from '../assistants_api.ts'

export type ToolMode = 'read' | 'live' | 'fixtures'

/** An entry of the conversation. `tried`: the number of contents in it that are not saved. */
export type Said =
  | { kind: 'person'; text: string }
  | { kind: 'turn'; turn: AnyRecord; tried: number; mode: ToolMode }
  | { kind: 'failed'; fault: Fault }
  | { kind: 'canceled' }

/** The assistant, and what is written for it and not saved. */
type Subject = { id: string; api: Pick<ProjectApi, 'post'>; tried: ReadonlySignal<TriedContent[]> }

/** Messages of a question. */
const MOST_MESSAGES = 50
/** Longer than a turn, and the way to it and back. */
const PATIENCE_MS = 75_000

export class Playground {
  said: Signal<Said[]> = signal([])
  mode: Signal<ToolMode> = signal('read')
  /** JSON. */
  fixtures = signal('')
  /** True for versions that are held, instead of the current ones. */
  with_held = signal(false)
  /** Set while an answer is awaited. */
  asked: Signal<AbortController | null> = signal(null)
  #subject

  constructor(subject: Subject) {
    this.#subject = subject
  }

  /** Says something to the assistant. Resolves when there is an answer. @throws SyntaxError for fixtures that are no list */
  async say(text: string) {
    if (this.asked.peek()) return
    const mode = this.mode.peek()
    const fixtures = mode === 'fixtures' ? fixturesOf(this.fixtures.peek()) : undefined
    const blocks = this.#subject.tried.peek()
    const asked = new AbortController()
    this.asked.value = asked
    this.said.value = [...this.said.peek(), { kind: 'person', text }]
    const body = {
      messages: messagesOf(this.said.peek()),
      tools: { mode, ...(fixtures && { fixtures }) },
      ...(blocks.length > 0 && { blocks }),
      ...(this.with_held.peek() && { held: true }),
    }
    const path = `assistants/${encodeURIComponent(this.#subject.id)}/playground`
    const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(PATIENCE_MS)])
    let entry: Said
    try {
      const { turn } = await this.#subject.api.post(path, body, { signal })
      entry = { kind: 'turn', turn, tried: blocks.length, mode }
    } catch (error) {
      entry = asked.signal.aborted ? { kind: 'canceled' } : { kind: 'failed', fault: faultOf(error) }
    }
    // The conversation may have been cleared meanwhile.
    if (this.asked.peek() !== asked) return
    this.asked.value = null
    this.said.value = [...this.said.peek(), entry]
  }

  cancel() {
    this.asked.peek()?.abort()
  }

  clear() {
    this.cancel()
    this.asked.value = null
    this.said.value = []
  }
}

/** The conversation as the assistant gets it: the newest messages, the last one of the person. */
function messagesOf(said: Said[]) {
  const messages = said.flatMap((one): { role: 'user' | 'assistant'; text: string }[] => {
    if (one.kind === 'person') return [{ role: 'user', text: one.text }]
    return one.kind === 'turn' && one.turn.answer ? [{ role: 'assistant', text: one.turn.answer }] : []
  })
  return messages.slice(-MOST_MESSAGES)
}

function fixturesOf(text: string): unknown[] {
  const list = text.trim() === '' ? [] : JSON.parse(text)
  if (!Array.isArray(list)) throw new SyntaxError('The results must be a list.')
  return list
}
