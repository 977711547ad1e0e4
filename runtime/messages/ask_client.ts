/**
 * Asks to partitions that other nodes own: one NATS request, answered by the owner after its commit. Request and reply
 * may be larger than a message of the broker (`broker/pieces.ts`).
 *
 * An owner that dies sends no notice. A question without an answer is therefore repeated under the same id. An owner
 * that has received it before answers both with one answer. A new owner cannot know whether the former one executed it,
 * so it executes it only when a repeat is harmless.
 */
import type { Msg, Subscription } from '@nats-io/transport-node'
import type { Message } from '../actor/actor.ts'
import type { Broker } from '../broker/broker.ts'
import { Pieces, publishWhole } from '../broker/pieces.ts'
import { RecentQuestions } from '../broker/recent_questions.ts'
import { type Reply, Requests } from '../broker/requests.ts'
import type { Tenure } from '../commit/store.ts'
import type { Log } from '../log.ts'
import { Moved, Refusal, Unavailable } from '../refusal.ts'
import type { Clock } from '../time/clock.ts'

/** One question of a caller; all repeats share its id. */
export type Question = {
  readonly id: string
  readonly address: string
  readonly message: Message
  /** Executing it twice has the effect of executing it once: it only reads, or carries an idempotency key. */
  readonly repeatable: boolean
  /** It may have been executed: it was sent, and no node that must know has answered that it was not. */
  unanswered: boolean
  /** Neither the owner under this epoch nor any earlier one has executed it or will. */
  cleared?: number | undefined
}
/** A question with the answer that came to one of its former repeats. */
export type Asked = Question & { late?: Answer | undefined }
type Sent = Question & { deadline_ms: number }
export type Answer =
  | { reply: unknown }
  | { refusal: { code: string; message?: string; details?: Record<string, unknown> } }
  | { unavailable: { message: string; retry_after_s: number } }
  | NotDone
  | { forgotten: true }
  | { error: string }

/**
 * The node that was asked has not executed the question and will not. `only`: no other node can have executed it
 * either. `epoch`: no owner up to this epoch has or will; a later one may.
 */
type NotDone = { moved: true; only?: true; epoch?: number }

export type Answering = {
  /** Replies at once when the message needs no turn; else returns undefined. */
  peek(address: string, message: Message): unknown
  answer(address: string, message: Message, deadline_ms: number): Promise<unknown>
}

/** Answers for a partition that was given away. */
const MOVED: Answering = { peek: () => undefined, answer: () => Promise.reject(new Moved()) }

export const OWNER_LOST = 'The node that was asked is gone: it is not known whether this was done.'
const ANSWER_LOST = 'This was asked before, and its answer was lost.'
/** Shorter than the lease of a dead owner, so that the next owner is asked as soon as there is one. */
const REPEAT_MS = 1500

/**
 * While ownership moves, two nodes may receive one question. The node that is not the owner answers 'not done', and the
 * asker repeats the question under the same id. The owner executes it once; an owner that does not recognise it
 * executes it only if it can prove that no other node did.
 */
export class AskClient {
  readonly #nats: Broker
  readonly #clock: Clock
  readonly #prefix: string
  readonly #log: Log
  readonly #requests: Requests
  readonly #pieces = new Pieces()
  readonly #leased: () => boolean
  readonly #open = new Map<number, Subscription>()
  /**
   * For `mayDo`. Tenures of partitions that were given up stay, unread: `open` keeps a tenure for questions that are
   * still arriving.
   */
  readonly #tenures = new Map<number, Tenure>()
  readonly #heard: RecentQuestions<Answer>

  /** `leased`: true while no other node can have taken a partition from this one. */
  constructor(nats: Broker, prefix: string, log: Log, clock: Clock, leased: () => boolean) {
    this.#clock = clock
    this.#leased = leased
    this.#heard = new RecentQuestions(() => clock.monotonic())
    this.#nats = nats
    this.#requests = new Requests(nats, clock)
    this.#prefix = prefix
    this.#log = log
  }

  /** Answers for a partition this node owns. */
  open(partition: number, tenure: Tenure, answering: Answering): void {
    this.#tenures.set(partition, tenure)
    const subscription = this.#nats.subscribe(`${this.#prefix}.ask.${partition}`, {
      callback: (error, request) => {
        if (error) return
        const text = this.#pieces.take(request)
        if (text === undefined) return
        // A question to a former owner is not executed by the present one, because an owner in between may have
        // executed it.
        const is_open = this.#open.get(partition) === subscription
        const is_only = is_open && this.#leased()
        this.#answer(request, text, is_open ? answering : MOVED, tenure, is_only).catch((thrown) =>
          this.#log.warn({ partition, error: (thrown as Error).message }, 'sending an answer failed'),
        )
      },
    })
    this.#open.set(partition, subscription)
  }

  /** True when an owner that does not remember the question may execute it. */
  mayDo(partition: number, question: Question): boolean {
    const tenure = this.#tenures.get(partition)
    return question.repeatable || (tenure !== undefined && isFirst(question, tenure))
  }

  async #answer(
    request: Msg,
    text: string,
    { peek, answer }: Answering,
    tenure: Tenure,
    is_only: boolean,
  ): Promise<void> {
    const sent = JSON.parse(text) as Sent
    const { id, address, message, deadline_ms, repeatable, unanswered } = sent
    const known = this.#heard.find(id)
    // Only questions that change something have to be remembered.
    const reply = known ? undefined : peek(address, message)
    if (reply !== undefined) {
      this.#respond(request, { reply })
      return
    }
    let result: Promise<Answer>
    const is_first = isFirst(sent, tenure)
    if (known) result = known.answer ?? Promise.resolve(encode(new Unavailable(ANSWER_LOST)))
    else if (!repeatable && !is_first) result = Promise.resolve({ forgotten: true })
    else {
      const not_done = notDone(is_first, is_only && !unanswered, tenure)
      result = answer(address, message, deadline_ms).then(
        (reply): Answer => ({ reply }),
        (thrown) => (thrown instanceof Moved ? not_done : encode(thrown)),
      )
      // A question that was not executed here may be repeated.
      this.#heard.remember(id, result, (reply) => 'moved' in reply)
    }
    try {
      this.#respond(request, await result)
    } catch (error) {
      // Reply is not serialisable: an error is better than silence.
      this.#respond(request, encode(error))
    }
  }

  #respond({ reply }: Msg, answer: Answer): void {
    if (reply) publishWhole(this.#nats, reply, JSON.stringify(answer))
  }

  /**
   * Stops answering for the partition. Questions that are already on their way here still arrive and are answered
   * `moved`: the broker has passed them on and will not report to their askers that the subject has no listener.
   */
  close(partition: number): void {
    const subscription = this.#open.get(partition)
    this.#open.delete(partition)
    void subscription?.drain().catch(() => {})
  }

  /**
   * Rejects with `Moved` when no node answers for the partition at the moment, with `Unavailable` when the deadline
   * passed or it is unknown whether the question was executed. `deadline` is a time of the monotonic clock.
   */
  async ask(partition: number, question: Asked, deadline: number): Promise<unknown> {
    for (;;) {
      const left = deadline - this.#clock.monotonic()
      if (left <= 0) throw new Unavailable('The answer did not come in time.')
      const { cleared } = question
      const answer = (await this.#request(partition, question, deadline, left)) ?? question.late
      if (!answer) {
        question.unanswered = true
        continue
      }
      if ('moved' in answer) note(question, answer)
      // The owner before has answered meanwhile that it did not execute the question.
      else if ('forgotten' in answer && question.cleared !== cleared) throw new Moved()
      return readAnswer(answer)
    }
  }

  /** Undefined when no answer came in time. */
  async #request(partition: number, asked: Asked, deadline: number, left: number): Promise<Answer | undefined> {
    const { late: _, ...question } = asked
    const sent: Sent = { ...question, deadline_ms: left }
    let reply: Reply
    try {
      const subject = `${this.#prefix}.ask.${partition}`
      const late = (text: string) => noteLate(asked, JSON.parse(text) as Answer)
      reply = await this.#requests.send(subject, JSON.stringify(sent), { ms: REPEAT_MS, deadline, late })
    } catch {
      throw new Unavailable('The node that answers for this cannot be reached.')
    }
    if (reply === 'nobody') throw new Moved()
    return reply === 'late' ? undefined : (JSON.parse(reply.text) as Answer)
  }

  async stop(): Promise<void> {
    for (const partition of [...this.#open.keys()]) this.close(partition)
    this.#requests.stop()
  }
}

/** True when no other owner can have executed the question. */
function isFirst({ unanswered, cleared }: Question, { epoch, former }: Tenure): boolean {
  return !unanswered || (cleared !== undefined && (cleared === epoch || cleared === former))
}

function notDone(is_first: boolean, is_only: boolean, { epoch }: Tenure): NotDone {
  if (is_only) return { moved: true, only: true, epoch }
  return is_first ? { moved: true, epoch } : { moved: true }
}

/** Records that the question was not executed by the node that answered. */
function note(question: Question, { only, epoch }: NotDone): void {
  question.unanswered = only !== true
  if (only) question.cleared = undefined
  else clear(question, epoch)
}

function clear(question: Question, epoch: number | undefined): void {
  if (epoch !== undefined) question.cleared = Math.max(question.cleared ?? 0, epoch)
}

/**
 * Records an answer that came after the question was sent again, perhaps to another node: an owner that gives its
 * partition away answers all that it has received, and listens no more. What it says of its epoch stays true; that no
 * other node can have executed the question may be true no more.
 */
function noteLate(question: Asked, answer: Answer): void {
  if ('moved' in answer) clear(question, answer.epoch)
  else if (!('unavailable' in answer || 'forgotten' in answer)) question.late = answer
}

/** Returns the reply, or throws what the answer says. */
export function readAnswer(answer: Answer): unknown {
  if ('reply' in answer) return answer.reply
  if ('refusal' in answer) throw new Refusal(answer.refusal.code, answer.refusal)
  if ('moved' in answer) throw new Moved()
  if ('unavailable' in answer) throw new Unavailable(answer.unavailable.message, answer.unavailable.retry_after_s)
  if ('forgotten' in answer) throw new Unavailable(OWNER_LOST)
  if ('error' in answer) throw new Error(answer.error)
  // An undefined reply does not survive JSON.
  return undefined
}

function encode(thrown: unknown): Answer {
  if (thrown instanceof Refusal) {
    return { refusal: { code: thrown.code, message: thrown.text, details: thrown.details } }
  }
  if (thrown instanceof Unavailable) {
    return { unavailable: { message: thrown.message, retry_after_s: thrown.retry_after_s } }
  }
  return { error: thrown instanceof Error ? thrown.message : String(thrown) }
}
