import { emit } from '../turn/events.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectState } from '../turn/state.ts'
import { channelReads, takeChannel } from './refresh_channel.ts'

export type ChannelStatus = { channel_id: string; status: 'connected' | 'disconnected'; reason: string | null }

/** From the channel: the provider refused its credentials, or accepts them again. */
export const channelStatus: Receiver<ChannelStatus> = {
  reads(reads, { channel_id }) {
    // A new channel may say so before the operator API does.
    if (isUnknown(reads.state, channel_id)) reads.of(channelReads).add(channel_id)
  },
  receive(turn, { channel_id, status, reason: status_reason }, { database }) {
    if (isUnknown(turn.state, channel_id)) takeChannel(turn, channel_id, database)
    const channel = turn.state.channels.get(channel_id)
    if (channel) channel.status = status
    if (channel?.channel_type !== 'whatsapp') return
    const { channel_type, name } = channel
    const changed = { channel_id, channel_type, name, status, status_reason }
    emit(turn, `whatsapp.channel.${status}`, changed, null)
  },
}

function isUnknown({ exists, channels }: ProjectState, channel_id: string): boolean {
  return exists && !channels.has(channel_id)
}
