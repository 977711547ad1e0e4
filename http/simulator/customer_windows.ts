import type { WindowOptions } from './options.ts'

/** The time of each person's last message to each account, which decides whether free-form messages are allowed. */
export class CustomerWindows {
  readonly #last_inbound = new Map<string, number>()
  readonly #options: WindowOptions
  readonly #now: () => number

  constructor(options: WindowOptions, now: () => number) {
    this.#options = options
    this.#now = now
  }

  open(account_id: string, person: string, at_ms = this.#now()): void {
    this.#last_inbound.set(`${account_id}:${person}`, at_ms)
  }

  shut(account_id: string, person: string): void {
    this.#last_inbound.delete(`${account_id}:${person}`)
  }

  isOpen(account_id: string, person: string): boolean {
    if (!this.#options.enforced) return true
    const last = this.#last_inbound.get(`${account_id}:${person}`)
    return last !== undefined && this.#now() - last < this.#options.seconds * 1000
  }
}
