import type { InboundItem } from '../turn/feature.ts'
import { isSameAccount } from './account.ts'

/**
 * The provider cut an account off, or took it back, with all its numbers: each channel keeps its own status and says when it
 * changed.
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
