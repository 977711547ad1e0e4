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

/** The agent writes, or does not any more. A page shows it for eight seconds at most: repeat it every few seconds. */
export type AgentTyping = About & { typing: { agent: VisitorAgent | null; typing: boolean } }

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

/** `asker`: the node that hears the answer, which is the id of the question. */
type Question = { question: string; asker: string; user_id: string }

/** Asks all nodes whether visitors have a page open. One subscription hears all answers, however many ask at once. */
export class VisitorQuestions {
  readonly #bus: Bus
  readonly #asker = randomUUID()
  readonly #open = new Map<string, (is_here: boolean) => void>()
  #hearing: Promise<unknown> | undefined

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** True when a node has a page of this visitor. A node of the release before does not answer. */
  async isHere({ channel_id, user_id }: About): Promise<boolean> {
    await this.#hear()
    const question = randomUUID()
    const { promise: answered, resolve } = Promise.withResolvers<boolean>()
    this.#open.set(question, resolve)
    const timer = setTimeout(resolve, ANSWER_MS, false)
    this.#bus.publish(
      questionsOf(channel_id),
      JSON.stringify({ question, asker: this.#asker, user_id } satisfies Question),
    )
    const is_here = await answered
    clearTimeout(timer)
    this.#open.delete(question)
    return is_here
  }

  async #hear(): Promise<void> {
    this.#hearing ??= this.#bus.listen(
      answersTo(this.#asker),
      (question) => this.#open.get(question)?.(true),
      () => {},
    )
    try {
      await this.#hearing
    } catch (error) {
      this.#hearing = undefined
      throw error
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
