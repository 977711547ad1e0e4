/** Idle actors leave memory, and are loaded again with their next message. */
import type { Activation } from '../actor/activation.ts'
import type { SchedulerOptions } from './options.ts'
import type { Residents } from './residents.ts'

type PassivationOptions = Pick<SchedulerOptions, 'clock' | 'idle_ms' | 'isShort'>

/** Number of resident actors beyond which idle ones are passivated soon. */
const MAX_RESIDENT = 200_000
const PRESSED_IDLE_MS = 1000
const PASSIVATE_MS = 5000

export class Passivation {
  readonly #options: PassivationOptions
  readonly #residents: Residents
  readonly #end: () => void
  readonly stats = { passivated: 0 }

  constructor(options: PassivationOptions, residents: Residents) {
    this.#options = options
    this.#residents = residents
    this.#end = options.clock.every(Math.min(PASSIVATE_MS, Math.max(50, options.idle_ms / 4)), () => this.#passivate())
  }

  #passivate(): void {
    const { clock, idle_ms } = this.#options
    const before = clock.monotonic() - (this.#isPressed() ? PRESSED_IDLE_MS : idle_ms)
    for (const activation of this.#residents.all()) {
      if (activation.used > before || !isIdle(activation)) continue
      this.#residents.leave(activation)
      this.stats.passivated++
    }
  }

  /** True when memory is short. */
  #isPressed(): boolean {
    return this.#residents.size > MAX_RESIDENT || this.#options.isShort()
  }

  stop(): void {
    this.#end()
  }
}

/** True when nothing would be lost with the actor's memory. */
function isIdle(activation: Activation): boolean {
  const { phase, waiting, is_held, works, soon, catch_up } = activation
  if (phase !== 'idle' || waiting > 0 || is_held || works > 0) return false
  return (soon === undefined || soon.size === 0) && catch_up?.is_over !== false
}
