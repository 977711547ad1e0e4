/** Asks to partitions owned by other nodes: one NATS request, answered by the owner after its commit. */
import { type Msg, type NatsConnection, RequestError, type Subscription } from '@nats-io/transport-node'
import type { Message } from './actor.ts'
import type { Log } from './log.ts'
import { Moved, Refusal, Unavailable } from './refusal.ts'

type Question = { id: string; address: string; message: Message; deadline_ms: number }
type Answer =
  | { reply: unknown }
  | { refusal: { code: string; message?: string; details?: Record<string, unknown> } }
  | { unavailable: { message: string; retry_after_s: number } }
  | { moved: true }
  | { error: string }

type Known = { answer: Promise<Answer> | undefined; done: boolean }

const REMEMBER_MS = 5000

/**
 * While ownership moves, a former owner may hear a question along with the present one and answer `moved`, upon which
 * the question is asked again under the same id: the present owner recognises it and does not do it twice.
 */
export class AskLine {
  readonly #nats: NatsConnection
  readonly #prefix: string
  readonly #log: Log
  readonly #open = new Map<number, Subscription>()
  /** Two generations of questions heard lately; the older ones without their answers. */
  #questions = new Map<string, Known>()
  #older = new Map<string, Known>()
  #turned = 0

  constructor(nats: NatsConnection, prefix: string, log: Log) {
    this.#nats = nats
    this.#prefix = prefix
    this.#log = log
  }

  /** Answers for a partition this node owns. */
  open(partition: number, answer: (address: string, message: Message, deadline_ms: number) => Promise<unknown>): void {
    const subscription = this.#nats.subscribe(`${this.#prefix}.ask.${partition}`, {
      callback: (error, request) => {
        if (error) return
        this.#answer(request, answer).catch((thrown) =>
          this.#log.warn({ partition, error: (thrown as Error).message }, 'an answer was not sent'),
        )
      },
    })
    this.#open.set(partition, subscription)
  }

  async #answer(
    request: Msg,
    answer: (address: string, message: Message, deadline_ms: number) => Promise<unknown>,
  ): Promise<void> {
    const { id, address, message, deadline_ms } = request.json<Question>()
    let result = this.#known(id)
    if (!result) {
      result = answer(address, message, deadline_ms).then(
        (reply): Answer => ({ reply }),
        (thrown): Answer => encode(thrown),
      )
      this.#remember(id, result)
    }
    try {
      request.respond(JSON.stringify(await result))
    } catch (error) {
      // Not serialisable, or larger than the broker takes: better an error than silence.
      request.respond(JSON.stringify(encode(error)))
    }
  }

  #known(id: string): Promise<Answer> | undefined {
    const known = this.#questions.get(id) ?? this.#older.get(id)
    if (!known) return undefined
    return known.answer ?? Promise.resolve(encode(new Unavailable('This was asked before, and its answer was lost.')))
  }

  #remember(id: string, answer: Promise<Answer>): void {
    const now = Date.now()
    if (now - this.#turned > REMEMBER_MS) {
      for (const question of this.#questions.values()) if (question.done) question.answer = undefined
      this.#older = this.#questions
      this.#questions = new Map()
      this.#turned = now
    }
    const questions = this.#questions
    const question: Known = { answer, done: false }
    questions.set(id, question)
    void answer.then((given) => {
      question.done = true
      // What was not done here may be asked again.
      if ('moved' in given) questions.delete(id)
    })
  }

  /**
   * Questions that are already on their way here are still heard (and answered `moved`, since the partition is gone):
   * the broker, which has passed them on, will not tell their askers that nobody answers.
   */
  close(partition: number): void {
    void this.#open
      .get(partition)
      ?.drain()
      .catch(() => {})
    this.#open.delete(partition)
  }

  /** Rejects with `Moved` when nobody answers for the partition at the moment. */
  async ask(partition: number, id: string, address: string, message: Message, deadline_ms: number): Promise<unknown> {
    if (deadline_ms <= 0) throw new Unavailable('The answer did not come in time.')
    const question: Question = { id, address, message, deadline_ms }
    let answer: Answer
    try {
      const response = await this.#nats.request(`${this.#prefix}.ask.${partition}`, JSON.stringify(question), {
        timeout: deadline_ms,
      })
      answer = response.json<Answer>()
    } catch (error) {
      if (error instanceof RequestError && error.isNoResponders()) throw new Moved()
      throw new Unavailable('The node that answers for this cannot be reached.')
    }
    if ('reply' in answer) return answer.reply
    if ('refusal' in answer) throw new Refusal(answer.refusal.code, answer.refusal)
    if ('moved' in answer) throw new Moved()
    if ('unavailable' in answer) throw new Unavailable(answer.unavailable.message, answer.unavailable.retry_after_s)
    if ('error' in answer) throw new Error(answer.error)
    // An undefined reply does not survive JSON.
    return undefined
  }

  async stop(): Promise<void> {
    for (const partition of [...this.#open.keys()]) this.close(partition)
  }
}

function encode(thrown: unknown): Answer {
  if (thrown instanceof Refusal) {
    return { refusal: { code: thrown.code, message: thrown.text, details: thrown.details } }
  }
  if (thrown instanceof Unavailable) {
    return { unavailable: { message: thrown.message, retry_after_s: thrown.retry_after_s } }
  }
  if (thrown instanceof Moved) return { moved: true }
  return { error: thrown instanceof Error ? thrown.message : String(thrown) }
}
