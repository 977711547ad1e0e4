/**
 * One person who writes to the business now and then, in a loop:
 *
 *    writing   the lines of a concern, one after the other
 *    waiting   for an agent. Too long a wait brings a reminder
 *    silent    the reminder brought nobody. After some minutes the person has another concern, unless an agent answers
 *    reading   a moment after a message has arrived
 *    answering the next line of the concern, or thanks
 *    away      for some minutes after the thanks; the person only reads
 *
 * All pauses are divided by the pace.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import { picture, statement } from './files.ts'
import type { Line, Said } from './line.ts'
import { nudges, type Topic, topics } from './topics.ts'

/** Seconds, least and most. */
const PAUSES = {
  away: [120, 900],
  silent: [120, 900],
  typing: [3, 20],
  patience: [60, 300],
  looking: [2, 20],
  trouble: [5, 10],
} as const

export type Life = { chance: Chance; pace: number; signal: AbortSignal; failed(error: Error): void }

export class Person {
  readonly #life: Life
  readonly #line: Line
  #heard = Promise.withResolvers<true>()

  /** `open` makes the line, which tells of each message that arrives. */
  constructor(life: Life, open: (heard: () => void) => Line) {
    this.#life = life
    this.#line = open(() => this.#heard.resolve(true))
  }

  /** Resolves when the signal is aborted. `first_s`: seconds until the first message, at the usual pace. */
  async live(first_s: number): Promise<void> {
    const { signal, failed } = this.#life
    if (!(await this.#wait(first_s))) return
    while (!signal.aborted) {
      try {
        if (!(await this.#converse(this.#life.chance.one(topics)))) continue
        while (await this.#be('away')) await this.#read()
      } catch (error) {
        if (signal.aborted) return
        failed(error as Error)
        await this.#be('trouble')
      }
    }
  }

  /** False when the person has given up. */
  async #converse({ opening, follow_ups, thanks, file }: Topic): Promise<boolean> {
    for (const [at, text] of opening.entries()) {
      await this.#pause('typing')
      await this.#line.say(at === opening.length - 1 && file ? this.#file(file, text) : { kind: 'text', text })
    }
    for (const text of [...follow_ups, thanks]) {
      if (!((await this.#answered()) || (await this.#be('silent')))) return false
      await this.#read()
      await this.#pause('typing')
      await this.#line.say({ kind: 'text', text })
    }
    return true
  }

  async #answered(): Promise<boolean> {
    if (await this.#be('patience')) return true
    await this.#line.say({ kind: 'text', text: this.#life.chance.one(nudges) })
    return this.#be('patience')
  }

  async #read(): Promise<void> {
    await this.#pause('looking')
    await this.#line.read()
  }

  #file(kind: 'picture' | 'document', text: string): Said {
    const { chance } = this.#life
    if (kind === 'picture') return { kind, text, filename: 'picture.png', bytes: picture(chance) }
    return { kind, text, filename: 'statement.pdf', bytes: statement() }
  }

  /** Ends early, with true, when a message has arrived since the last wait. */
  async #be(state: keyof typeof PAUSES): Promise<boolean> {
    const over = new AbortController()
    const signal = AbortSignal.any([this.#life.signal, over.signal])
    const wait = sleep(this.#length(state), false, { signal }).catch(() => false)
    const heard = await Promise.race([this.#heard.promise, wait])
    over.abort()
    if (heard) this.#heard = Promise.withResolvers()
    return heard
  }

  #pause(state: keyof typeof PAUSES): Promise<unknown> {
    return sleep(this.#length(state), undefined, { signal: this.#life.signal })
  }

  #wait(seconds: number): Promise<boolean> {
    return sleep((seconds * 1000) / this.#life.pace, true, { signal: this.#life.signal }).catch(() => false)
  }

  #length(state: keyof typeof PAUSES): number {
    const [least, most] = PAUSES[state]
    return (this.#life.chance.between(least, most) * 1000) / this.#life.pace
  }
}
