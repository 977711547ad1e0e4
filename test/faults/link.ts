/**
 * The links between processes and servers: TCP proxies that hold or lose a server's answers while requests arrive, lead
 * elsewhere, or break. The server does its work; the link decides whether the client gets the answer.
 */
import { Worker } from 'node:worker_threads'
import type { Owner } from '../support/mod.ts'
import type { Answers, Command, Told } from './link_thread.ts'

/** All links of a cluster, in a thread of their own. */
export class Links {
  readonly #thread: Worker
  readonly #asked = new Map<number, (value: number) => void>()
  readonly #seen = new Map<number, () => void>()
  #ids = 0
  #count = 0

  constructor(t: Owner) {
    this.#thread = new Worker(new URL('./link_thread.ts', import.meta.url))
    this.#thread.on('message', (told: Told) => {
      if ('seen' in told) return void this.#seen.get(told.link)?.()
      this.#asked.get(told.id)?.(told.value)
      this.#asked.delete(told.id)
    })
    t.teardown(() => this.#thread.terminate())
  }

  /** Makes a link to this port of 127.0.0.1. */
  async to(port: number): Promise<Link> {
    const number = ++this.#count
    const ask = (command: Command) =>
      new Promise<number>((resolve) => {
        const id = ++this.#ids
        this.#asked.set(id, resolve)
        this.#thread.postMessage({ link: number, id, command })
      })
    const seen = (callback: () => void) => void this.#seen.set(number, callback)
    return new Link(await ask({ do: 'open', port }), ask, seen)
  }
}

/** A link. Each call resolves when it is in force. */
export class Link {
  readonly port: number
  readonly #ask: (command: Command) => Promise<number>
  readonly #onSeen: (callback: () => void) => void

  constructor(port: number, ask: (command: Command) => Promise<number>, onSeen: (callback: () => void) => void) {
    this.port = port
    this.#ask = ask
    this.#onSeen = onSeen
  }

  /** Returns the address with this link on the way. */
  through(url: string): string {
    const address = new URL(url)
    address.port = String(this.port)
    return address.href
  }

  /**
   * Sets the treatment of answers from now on. Back at `pass`, the link delivers held answers and resets connections
   * that lost some.
   */
  async answer(how: Answers): Promise<void> {
    await this.#ask({ do: 'answer', how })
  }

  /**
   * Sets the treatment of answers from the next request on that holds this text, its own answer included. Resolves to
   * true when that request came, and to false when it did not come within `ms` milliseconds; the answers change then
   * all the same.
   */
  async answerFrom(text: string, how: Answers, ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const seen = new Promise<boolean>((resolve) => {
      this.#onSeen(() => resolve(true))
      timer = setTimeout(resolve, ms, false)
    })
    await this.#ask({ do: 'answerFrom', text, how })
    const has_come = await seen
    clearTimeout(timer)
    if (!has_come) await this.answer(how)
    return has_come
  }

  /** Lets requests that hold this text arrive, and resets their connections instead of an answer, until `null`. */
  async resetEach(text: string | null): Promise<number> {
    return this.#ask({ do: 'resetEach', text })
  }

  /** Resets every open connection. */
  async break(): Promise<void> {
    await this.#ask({ do: 'break' })
  }

  /** Resets every connection, and each new one at once, until `join`. */
  async cut(): Promise<void> {
    await this.#ask({ do: 'cut' })
  }

  async join(): Promise<void> {
    await this.#ask({ do: 'join' })
  }

  /** Leads to another port from now on, and resets every open connection. */
  async leadTo(port: number): Promise<void> {
    await this.leadOnTo(port)
    await this.break()
  }

  /** Leads new connections to another port, while open ones go on. */
  async leadOnTo(port: number): Promise<void> {
    await this.#ask({ do: 'lead', port })
  }
}
