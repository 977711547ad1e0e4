/** Something that is read from the server, shown, and read again. No DOM. */

import { type Signal, signal } from '@preact/signals'
import type { Fault } from '../records/fault.ts'
import { faultOf } from './errors.ts'

export class Resource<Value> {
  /** The value stays while it is read again, also when that fails. */
  state: Signal<{ value: Value | undefined; fault: Fault | null }> = signal({ value: undefined, fault: null })
  #load
  #reads = 0

  constructor(load: () => Promise<Value>) {
    this.#load = load
  }

  /** Views that read it are drawn again when it changes. */
  get value() {
    return this.state.value.value
  }

  /** Set while there is no value. */
  get fault() {
    return this.state.value.fault
  }

  async read() {
    const read = ++this.#reads
    try {
      const value = await this.#load()
      if (read === this.#reads) this.put(value)
    } catch (error) {
      if (read !== this.#reads) return
      const fault = faultOf(error)
      const { value } = this.state.peek()
      // A record that is gone is not shown any longer.
      const is_gone = fault.status === 404
      if (value === undefined || is_gone) this.state.value = { value: undefined, fault }
    }
  }

  put(value: Value) {
    this.#reads++
    if (JSON.stringify(value) === JSON.stringify(this.state.peek().value)) return
    this.state.value = { value, fault: null }
  }
}
