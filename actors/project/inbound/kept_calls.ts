/**
 * Calls that further turns go on with. They are verified and parsed once: each turn would otherwise do so anew, and the
 * cost of a call would grow with the square of its length.
 *
 * All projects of a process share the bound. A call that was dropped is read again.
 */
import type { HookResult } from '../../providers/mod.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { RawCall } from './raw_call.ts'

/** Each holds the text of a call, 4 MiB at most, and what it says. */
const CAPACITY = 8

type Kept = { channel: ProjectChannel; call: RawCall; read: HookResult }

export class KeptCalls {
  /** The one that was used last comes last. */
  #kept: Kept[] = []

  /** `channel`: that of the call, as it is now. With other secrets it is another object. */
  find(channel: ProjectChannel, call: RawCall): HookResult | undefined {
    return this.#kept.find((one) => one.channel === channel && isSame(one.call, call))?.read
  }

  keep(channel: ProjectChannel, call: RawCall, read: HookResult): void {
    this.forget(channel, call)
    this.#kept.push({ channel, call, read })
    if (this.#kept.length > CAPACITY) this.#kept.shift()
  }

  forget(channel: ProjectChannel, call: RawCall): void {
    if (this.#kept.length === 0) return
    this.#kept = this.#kept.filter((one) => one.channel !== channel || !isSame(one.call, call))
  }
}

function isSame(one: RawCall, other: RawCall): boolean {
  return one.signature === other.signature && one.raw === other.raw
}
