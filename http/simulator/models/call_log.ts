/** One call of the simulated model. */
export type LoggedCall = {
  /** Position in the order of arrival, from 1. */
  sequence: number
  /** ISO 8601 with milliseconds. */
  at: string
  operation: 'chat' | 'transcription'
  model: string
  /** `answer`, `tool_calls`, a fault, or the status of a refusal. */
  outcome: string
  /** The body; of a recording its name, type and size. Files in it are shortened. */
  body: unknown
}

const MAX_CALLS = 1000
/** Characters of all bodies together. Older calls are forgotten first. */
const MAX_CHARACTERS = 32 * 1024 * 1024
/** Characters of a file's data that are kept. */
const KEPT_DATA = 64

/** The latest calls, within a bound of memory. */
export class CallLog {
  #calls: { call: LoggedCall; size: number }[] = []
  #size = 0
  #sequence = 0

  get total(): number {
    return this.#sequence
  }

  /** Oldest first; those after the number `after`. */
  list(after: number): LoggedCall[] {
    return this.#calls.map(({ call }) => call).filter(({ sequence }) => sequence > after)
  }

  /** Returns the call's number. */
  add(call: Omit<LoggedCall, 'sequence'>): number {
    const body = shortened(call.body)
    const size = JSON.stringify(body)?.length ?? 0
    const sequence = ++this.#sequence
    this.#calls.push({ call: { sequence, ...call, body }, size })
    this.#size += size
    while (this.#calls.length > MAX_CALLS || (this.#size > MAX_CHARACTERS && this.#calls.length > 1)) {
      this.#size -= this.#calls.shift()!.size
    }
    return sequence
  }

  clear(): number {
    const removed = this.#calls.length
    this.#calls = []
    this.#size = 0
    return removed
  }
}

function shortened(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body ?? null, (_, value) => (isData(value) ? `${value.slice(0, KEPT_DATA)}…` : value)),
  )
}

function isData(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length > 1000 && /^(?:data:[^ ]{1,100};base64,)?[A-Za-z0-9+/]{200}/.test(value)
  )
}
