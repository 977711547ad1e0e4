/**
 * Results of calls that must not be aborted (`unbroken`), once the state that started them is gone. Each is told to the
 * actor as a durable message, on whichever node it is.
 */
import type { Message } from '../actor/actor.ts'
import type { Entry } from '../actor/entry.ts'
import type { SlowWork } from '../actor/slow_work.ts'
import { STORAGE_RETRY_MS } from '../failure.ts'
import { sleep } from '../time/clock.ts'
import type { SchedulerOptions } from './options.ts'

export class OrphanedResults {
  readonly #options: Pick<SchedulerOptions, 'clock' | 'log' | 'tell'>
  readonly #slow: SlowWork
  #stopped = false

  constructor(options: Pick<SchedulerOptions, 'clock' | 'log' | 'tell'>, slow: SlowWork) {
    this.#options = options
    this.#slow = slow
  }

  /** Passes the results among `entries` to the present owner of the actor. */
  passOn(address: string, entries: Iterable<Entry>): void {
    for (const { message, is_result } of entries) if (is_result) this.#slow.keep(this.tell(address, message))
  }

  /** Retries until the result is stored: an actor that receives it twice recognises the attempt. Never rejects. */
  async tell(address: string, message: Message): Promise<void> {
    const { clock, log, tell } = this.#options
    for (;;) {
      try {
        await tell(address, message)
        return
      } catch (error) {
        log.warn({ address, error }, 'the result of a call could not be kept yet')
        if (this.#stopped) return
        await sleep(clock, STORAGE_RETRY_MS)
      }
    }
  }

  /** From now on a result that cannot be stored is given up. */
  stop(): void {
    this.#stopped = true
  }
}
