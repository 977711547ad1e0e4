import type { Message } from '../../../storage/mod.ts'
import type { InboundStatus } from '../../providers/mod.ts'
import { stopMarketing } from '../contacts/consent.ts'
import { wantIds } from '../contacts/person_reads.ts'
import { learnIds } from '../contacts/proof.ts'
import { rateReads } from '../costs/reads.ts'
import type { InboundItem } from '../turn/feature.ts'
import type { Reads } from '../turn/reads.ts'
import { advance } from './advance.ts'
import { keepForLater } from './early_statuses.ts'
import { messageReads, providerKey, watermarkKey } from './reads.ts'
import { recentMessagesOf } from './recent_messages.ts'
import { watermarkReported } from './watermarks.ts'

/**
 * A status callback. The opaque data is our own id, so a status is applied even before the provider's id is known. Some
 * providers report a watermark instead: the moment up to which a person has received or read everything.
 */
export const statusReported: InboundItem<'status'> = {
  reads(reads, { channel, item }) {
    const { ids, provided, watermarks } = reads.of(messageReads)
    const recent = recentMessageOf(reads, channel.id, item)
    if (recent) ids.add(recent.id)
    else {
      if (item.opaque?.startsWith('msg_')) ids.add(item.opaque)
      if (item.provider_message_id) provided.add(item.provider_message_id)
    }
    if (item.pricing) reads.of(rateReads)
    for (const person of [item.opted_out, item.proven]) if (person) wantIds(reads, channel, person)
    if (item.up_to) {
      const { user_id } = item.up_to
      const watermark = { channel_id: channel.id, channel_type: channel.channel_type, user_id }
      watermarks.set(watermarkKey(channel.id, watermark), watermark)
    }
  },
  receive(turn, { channel, item }) {
    const { rows } = turn.records.of(messageReads)
    const { status: to, provider_message_id, opaque, error, raw, at, up_to, pricing } = item
    if (up_to) {
      watermarkReported(turn, channel, item)
      return
    }
    const own = opaque ? rows.get(opaque) : undefined
    const row = own ?? (provider_message_id ? rows.get(providerKey(channel.id, provider_message_id)) : undefined)
    // The message's answer, or its echo, is still on its way.
    if (!row && !opaque) keepForLater(turn, channel, item)
    if (row?.direction !== 'outbound' || row.channel_id !== channel.id) return
    if (row.status === 'queued') {
      // Proof of the send for the channel, which may have missed the answer (a crash, a lost connection).
      turn.tell(`channel/${row.channel_id}`, { type: 'confirmed', message_id: row.id })
    }
    advance(turn, row, { to, at, provider_message_id, error, raw, pricing })
    if (item.opted_out) stopMarketing(turn, row.chat_user, at)
    if (item.proven) learnIds(turn, channel, row, item.proven)
  },
}

function recentMessageOf(
  { state }: Reads,
  channel_id: string,
  { opaque, provider_message_id }: InboundStatus,
): Message | undefined {
  const recent = recentMessagesOf(state)
  if (opaque) return recent.find(opaque)
  return provider_message_id ? recent.find(providerKey(channel_id, provider_message_id)) : undefined
}
