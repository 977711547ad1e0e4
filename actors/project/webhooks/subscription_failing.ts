import { type DeadStreak, deadStreak, readRows, systemOrigin, User } from '../../../storage/mod.ts'
import { subscriptionDisabledMail } from '../../mail/mod.ts'
import { recordAudit } from '../turn/audit.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { changeSubscription, subscriptionReads } from './subscription.ts'

/** Owners of failing subscriptions, and the failures for the mail to them; by the subscription's id. */
const failingReads: ReadKind<Set<string>, Map<string, { owner: User; streak: DeadStreak }>> = {
  keys: () => new Set(),
  found: () => new Map(),
  read: () => undefined,
  async finish(found, ids, { database, records }) {
    const subscriptions = records.of(subscriptionReads)
    for (const id of ids) {
      const row = subscriptions.get(id)
      if (!row?.user_id) continue
      const [owner] = await readRows(database, User, { _id: row.user_id })
      if (owner) found.set(id, { owner, streak: await deadStreak(database, id, row.failure_count) })
    }
  },
}

type Failing = {
  subscription_id: string
  /** The `disabled_reason`; missing from nodes of the release before. */
  reason?: string | null
}

/**
 * From the subscription: too many dead deliveries in a row, or its receiver is gone. Disables the subscription and
 * mails its owner, once.
 */
export const subscriptionFailing: Receiver<Failing> = {
  reads(reads, { subscription_id: id }) {
    reads.of(subscriptionReads).add(id)
    reads.of(failingReads).add(id)
  },
  receive(turn, { subscription_id: id, reason }) {
    const row = turn.records.of(subscriptionReads).get(id)
    if (!row?.is_active) return
    const after = { is_active: false, disabled_reason: reason ?? 'excessive_failures' }
    const before = { is_active: row.is_active, disabled_reason: row.disabled_reason }
    changeSubscription(turn, row, after)
    recordAudit(turn, systemOrigin('disable_webhook'), { target_kind: 'subscription', target_id: id, before, after })
    const failing = turn.records.of(failingReads).get(id)
    if (!failing) return
    const is_gone = after.disabled_reason === 'receiver_gone'
    const { since: failing_since, last_error } = is_gone ? { since: turn.now, last_error: null } : failing.streak
    const { name, url, failure_count } = row
    const { base_url } = turn.state
    const facts = { id, name, url, failing_since, failure_count, last_error, base_url, is_gone }
    // Named after the subscription and the beginning of its failures, so that a repeat sends no second mail.
    const mail = `mail/${id}.${failing_since.getTime()}` as const
    turn.tell(mail, { type: 'send', to: failing.owner.email, ...subscriptionDisabledMail(facts) })
  },
}
