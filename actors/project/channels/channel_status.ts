import { emit } from '../turn/events.ts'
import type { Receiver } from '../turn/feature.ts'

export type ChannelStatus = { channel_id: string; status: 'connected' | 'disconnected'; reason: string | null }

/** From the channel: the provider refused its credentials, or accepts them again. */
export const channelStatus: Receiver<ChannelStatus> = {
  receive(turn, { channel_id, status, reason: status_reason }) {
    const channel = turn.state.channels.get(channel_id)
    if (channel) channel.status = status
    if (channel?.channel_type !== 'whatsapp') return
    const { channel_type, name } = channel
    const changed = { channel_id, channel_type, name, status, status_reason }
    emit(turn, `whatsapp.channel.${status}`, changed, null)
  },
}
