import { signal } from '@preact/signals'
import { faultOf } from '../data/errors.ts'
import type { Fault } from '../records/fault.ts'
import type { AnyRecord } from '../records/record.ts'

/**
 * Something that is read. What was read stays while it is read again. `data` is undefined until it is known.
 */
export class Reading<Data = AnyRecord> {
  data = signal<Data | undefined>(undefined)
  fault = signal<Fault | null>(null)
  #ask
  #reads = 0

  constructor(ask: () => Promise<Data>) {
    this.#ask = ask
  }

  async read() {
    const read = ++this.#reads
    try {
      const data = await this.#ask()
      if (read !== this.#reads) return
      this.data.value = data
      this.fault.value = null
    } catch (error) {
      if (read === this.#reads) this.fault.value = faultOf(error)
    }
  }

  /** An answer under way is ignored. */
  close() {
    this.#reads++
  }
}
