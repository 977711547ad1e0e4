/**
 * Messages beyond an actor's share of its partition's inbox (I9). An actor that cannot go on must not take all places:
 * its youngest tells are dropped from memory, and later ones run past it until it has caught up (`actor/catch_up.ts`).
 */
import type { Activation } from '../actor/activation.ts'
import { type CatchUp, shareEnd } from '../actor/catch_up.ts'
import type { SchedulerOptions } from './options.ts'
import type { Residents } from './residents.ts'

type OverflowOptions = Pick<SchedulerOptions, 'log' | 'inbox'>

const MUCH_WAITS = 'much waits for an actor that cannot go on; its latest messages stay in the outbox until it can'

export class Overflow {
  readonly #options: OverflowOptions
  readonly #residents: Residents

  constructor(options: OverflowOptions, residents: Residents) {
    this.#options = options
    this.#residents = residents
  }

  /** Call when something was added to what waits for an actor that cannot go on. */
  keepToShare(activation: Activation): void {
    const inbox = this.#residents.isOwned(activation) ? this.#options.inbox(activation.partition) : undefined
    if (!inbox) return
    const tells = activation.tells()
    const end = shareEnd(
      tells.map(({ size }) => size ?? 0),
      inbox.share,
    )
    if (end === tells.length) return
    if (activation.catch_up?.is_over !== false) {
      this.#options.log.warn({ address: activation.address }, MUCH_WAITS)
      activation.catch_up = inbox.fallBehind(activation.address)
    } else activation.catch_up.cut()
    const forgotten = new Set(tells.slice(end))
    activation.drop(forgotten)
    for (const { early, release } of forgotten) {
      if (early) early.letGo()
      else release?.()
    }
  }

  /** Reads more of what ran past, once the actor holds no more tells. Requires an idle activation. */
  catchUp(activation: Activation, catch_up: CatchUp): void {
    if (catch_up.is_over) activation.catch_up = undefined
    else if (!activation.has_tells) catch_up.goOn()
  }
}
