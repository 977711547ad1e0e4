/**
 * Keeps a log readable while something fails again and again. Lines with the same message are of one kind. Of each kind
 * some lines pass in a while, and at its end one line more tells how many were left out.
 */

const MAX_LINES = 10
const WHILE_MS = 10_000
/** Kinds that are told apart at a time. More have their lines as they come. */
const MAX_KINDS = 1000

type Write = (fields: object, message: string) => void
type Kind = { lines: number; last: object; timer: NodeJS.Timeout }

export class FloodGuard {
  readonly #write: Write
  readonly #while_ms: number
  readonly #kinds = new Map<string, Kind>()

  constructor(write: Write, while_ms: number = WHILE_MS) {
    this.#write = write
    this.#while_ms = while_ms
  }

  write(fields: object, message: string): void {
    const kind = this.#kinds.get(message) ?? this.#begin(message)
    if (kind) {
      kind.lines++
      kind.last = fields
      if (kind.lines > MAX_LINES) return
    }
    this.#write(fields, message)
  }

  /** Tells what is left out so far. */
  stop(): void {
    for (const [message, { timer }] of this.#kinds) {
      clearTimeout(timer)
      this.#end(message)
    }
  }

  #begin(message: string): Kind | undefined {
    if (this.#kinds.size >= MAX_KINDS) return undefined
    const timer = setTimeout(() => this.#end(message), this.#while_ms).unref()
    const kind = { lines: 0, last: {}, timer }
    this.#kinds.set(message, kind)
    return kind
  }

  #end(message: string): void {
    const { lines, last } = this.#kinds.get(message)!
    this.#kinds.delete(message)
    const left_out = lines - MAX_LINES
    if (left_out > 0) this.#write({ ...last, left_out }, message)
  }
}
