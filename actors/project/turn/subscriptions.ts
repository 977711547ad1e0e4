/** The live subscriptions of a project, and those among them that listen to a type of event. */
import { createHash } from 'node:crypto'
import type { WebhookMode, WebhookOrdering } from '../../../storage/mod.ts'

export type ProjectSubscription = {
  id: string
  /** All types that its list names, patterns resolved. */
  events: Set<string>
  is_active: boolean
  ordering: WebhookOrdering
  mode: WebhookMode
  ed25519: boolean
}

export type Listeners = {
  /** Those that get a delivery of their own: the pushed ones. */
  own: readonly ProjectSubscription[]
  /** Undefined where none is polled. */
  polled: PolledListeners | undefined
}

export type PolledListeners = {
  /** The same subscriptions are the same group. */
  group_id: string
  subscription_ids: readonly string[]
}

/** Milliseconds for which a group need not be stored again. */
const GROUP_MS = 3_600_000

export class Subscriptions extends Map<string, ProjectSubscription> {
  /** Listeners by type, made anew after each change of a subscription. */
  readonly #listeners = new Map<string, Listeners>()
  /** Times at which groups were stored, in milliseconds. */
  readonly #stored = new Map<string, number>()

  override set(id: string, subscription: ProjectSubscription): this {
    this.#listeners.clear()
    return super.set(id, subscription)
  }

  override delete(id: string): boolean {
    this.#listeners.clear()
    return super.delete(id)
  }

  /** The active subscriptions that listen to a type. */
  listenersTo(type: string): Listeners {
    let found = this.#listeners.get(type)
    if (!found) {
      const all = [...this.values()].filter(({ is_active, events }) => is_active && events.has(type))
      const polled = all.filter(({ mode }) => mode === 'poll').map(({ id }) => id)
      found = {
        own: all.filter(({ mode }) => mode !== 'poll'),
        polled: polled.length > 0 ? groupOf(polled) : undefined,
      }
      this.#listeners.set(type, found)
    }
    return found
  }

  /** Returns true when the group has to be stored with its next delivery: `PollGroup.used_at` is never older than an hour then. */
  isToStore({ group_id }: PolledListeners, now: Date): boolean {
    const stored = this.#stored.get(group_id)
    if (stored !== undefined && Math.abs(now.getTime() - stored) < GROUP_MS) return false
    // Groups of former subscriptions.
    if (this.#stored.size >= this.#listeners.size * 2) this.#stored.clear()
    this.#stored.set(group_id, now.getTime())
    return true
  }
}

function groupOf(ids: string[]): PolledListeners {
  const subscription_ids = ids.sort()
  const hash = createHash('sha256').update(subscription_ids.join()).digest('hex')
  return { group_id: `pgr_${hash.slice(0, 24)}`, subscription_ids }
}
