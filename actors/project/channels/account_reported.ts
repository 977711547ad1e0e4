import type { InboundItem } from '../turn/feature.ts'
import { isSameAccount } from './account.ts'

/**
 * The provider disabled or enabled an account with all its numbers. Each channel keeps its own status, and emits an
 * event when that changes.
 */
export const accountReported: InboundItem<'account'> = {
  receive(turn, { channel, item }) {
    const { status, reason } = item
    for (const one of turn.state.channels.values()) {
      if (one.id !== channel.id && (item.account !== null || !isSameAccount(channel, one))) continue
      turn.tell(`channel/${one.id}`, { type: 'account', status, reason })
    }
  },
}
