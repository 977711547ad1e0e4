/**
 * Messages between nodes about visitors, over the bus: at most once, nothing is kept. Messages and their statuses
 * are read again from storage; that somebody writes right now is only told.
 */
import { randomUUID } from 'node:crypto'
import type { Bus } from '../../../runtime/mod.ts'
import type { VisitorNote } from './visitor_message.ts'

/** The person who answers a visitor. `photo_url` is relative to the public address of the API, or null. */
export type VisitorAgent = { name: string; photo_url: string | null }

type About = { channel_id: string; user_id: string }

/** An answer that an assistant is writing, as far as it may be seen. It is no message, and another `turn_id` another answer. */
type VisitorDraftShown = { turn_id: string; text: string }

/**
 * The agent writes, or does not any more. A page shows it for eight seconds at most: repeat it every few seconds. `draft` is part of
 * the sign, because nodes and pages of the release before know the rest of it.
 */
export type AgentTyping = About & {
  typing: { agent: VisitorAgent | null; typing: boolean; draft?: VisitorDraftShown }
}

/** The visitor's messages until `at` (ISO 8601) were read. */
export type VisitorRead = About & { read: { at: string } }

/** A session of the visitor has ended: its pages have to come in anew. `hash`: as it is stored. */
export type VisitorSessionEnded = About & { ended: { hash: string } }

/** One thing that the pages of a visitor get. */
export type VisitorSign = VisitorNote | AgentTyping | VisitorRead | VisitorSessionEnded

/** A visitor writes, or does not any more. `chat_user`: the contact. */
export type VisitorTyping = About & { project_id: string; chat_user: string; typing: boolean }

const signsOf = (channel_id: string) => `visitor.${channel_id}`
const questionsOf = (channel_id: string) => `visitor_here.${channel_id}`
const answersTo = (asker: string) => `visitor_is_here.${asker}`
const typingOf = (project_id: string) => `visitor_typing.${project_id}`

/** Tells all pages of this visitor, on all nodes. */
export function tellVisitor(bus: Bus, sign: VisitorSign): void {
  bus.publish(signsOf(sign.channel_id), JSON.stringify(sign))
}

/** Hears what is told to the visitors of a channel. `gap`: something may have been missed. */
export function hearVisitors(
  bus: Bus,
  channel_id: string,
  heard: (sign: VisitorSign) => void,
  gap: () => void,
): Promise<() => void> {
  return bus.listen(signsOf(channel_id), (text) => heard(JSON.parse(text) as VisitorSign), gap)
}

/** Milliseconds in which a node with a page of the visitor answers. */
const ANSWER_MS = 2_000

/** Begins what a node tells itself after a question. */
const PASSED_ON = 'passed on '

/** `asker`: the node that hears the answer, which is the id of the question. */
type Question = { question: string; asker: string; user_id: string }

/** True when a node has a page of the visitor. Undefined when the question may have reached no node. */
type IsHere = boolean | undefined

type Asked = { resolve: (is_here: true) => void; is_passed_on: boolean }

/** Asks all nodes whether visitors have a page open. One subscription hears all answers, however many ask at once. */
export class VisitorQuestions {
  readonly #bus: Bus
  readonly #asker = randomUUID()
  readonly #open = new Map<string, Asked>()
  #hearing: Promise<unknown> | undefined

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** Never rejects. A node of the release before does not answer. */
  async isHere({ channel_id, user_id }: About): Promise<IsHere> {
    if (!(await this.#hears())) return undefined
    const question = randomUUID()
    const { promise: answered, resolve } = Promise.withResolvers<IsHere>()
    const asked: Asked = { resolve, is_passed_on: false }
    this.#open.set(question, asked)
    const timer = setTimeout(() => resolve(asked.is_passed_on ? false : undefined), ANSWER_MS)
    this.#bus.publish(
      questionsOf(channel_id),
      JSON.stringify({ question, asker: this.#asker, user_id } satisfies Question),
    )
    // The broker passes messages of one node on in their order: when this one has come back, it has passed the question on.
    this.#bus.publish(answersTo(this.#asker), `${PASSED_ON}${question}`)
    const is_here = await answered
    clearTimeout(timer)
    this.#open.delete(question)
    return is_here
  }

  #hear(answer: string): void {
    const is_own = answer.startsWith(PASSED_ON)
    const asked = this.#open.get(is_own ? answer.slice(PASSED_ON.length) : answer)
    if (!asked) return
    if (is_own) asked.is_passed_on = true
    else asked.resolve(true)
  }

  async #hears(): Promise<boolean> {
    this.#hearing ??= this.#bus.listen(
      answersTo(this.#asker),
      (answer) => this.#hear(answer),
      () => {},
    )
    try {
      await this.#hearing
      return true
    } catch {
      this.#hearing = undefined
      return false
    }
  }
}

/** Answers whether a visitor of the channel has a page on this node. */
export function answerForVisitors(
  bus: Bus,
  channel_id: string,
  isHere: (user_id: string) => boolean,
): Promise<() => void> {
  const heard = (text: string) => {
    const { question, asker, user_id } = JSON.parse(text) as Question
    if (isHere(user_id)) bus.publish(answersTo(asker), question)
  }
  return bus.listen(questionsOf(channel_id), heard, () => {})
}

/** Tells the consoles of the project that a visitor writes. */
export function tellVisitorTyping(bus: Bus, typing: VisitorTyping): void {
  bus.publish(typingOf(typing.project_id), JSON.stringify(typing))
}

/** Hears which visitors of a project write. Resolves to a function that stops listening. */
export function hearVisitorTyping(
  bus: Bus,
  project_id: string,
  heard: (typing: VisitorTyping) => void,
): Promise<() => void> {
  return bus.listen(
    typingOf(project_id),
    (text) => heard(JSON.parse(text) as VisitorTyping),
    () => {},
  )
}
