/**
 * The number of test files at once. Most of them wait for a part of their time: for a process, a deadline, a server that
 * is away. On a machine with time to spare more of them run beside each other than on a busy one, where each further one
 * only makes the others slow.
 */
import { availableParallelism, cpus } from 'node:os'

const CORES = availableParallelism()
/** A busy machine still has something to do while a file waits. */
const MIN_LANES = CORES + 1
const MAX_LANES = 4 * CORES
/** Milliseconds between two looks at the cores. */
const LOOK_MS = 1000
/** Shares of the machine's time: with more to spare there is a further lane, with less there is one fewer. */
const TO_SPARE = 0.2
const BUSY = 0.05

export class Lanes {
  /** Lanes that ever run. */
  readonly max: number
  #open: number
  readonly #waiting = new Set<() => void>()
  readonly #looks: NodeJS.Timeout | undefined
  #last = spentTime()

  /** `fixed`: as many at every moment. */
  constructor(fixed: number | undefined) {
    this.max = fixed ?? MAX_LANES
    this.#open = fixed ?? 2 * CORES
    if (fixed === undefined) this.#looks = setInterval(() => this.#look(), LOOK_MS)
  }

  /** Resolves when the lane with this number may take a file, counted from 0. */
  async turn(number: number): Promise<void> {
    while (number >= this.#open) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** No lane waits any more. */
  end(): void {
    clearInterval(this.#looks)
    this.#open = Number.POSITIVE_INFINITY
    this.#wake()
  }

  #look(): void {
    const now = spentTime()
    const idle = (now.idle - this.#last.idle) / (now.all - this.#last.all)
    this.#last = now
    if (idle > TO_SPARE && this.#open < MAX_LANES) this.#open++
    else if (idle < BUSY && this.#open > MIN_LANES) this.#open--
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}

/** Milliseconds that all cores together spent so far. */
function spentTime(): { idle: number; all: number } {
  const times = cpus().map((one) => one.times)
  const sum = (of: (one: (typeof times)[number]) => number) => times.reduce((all, one) => all + of(one), 0)
  return { idle: sum(({ idle }) => idle), all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq) }
}
