/**
 * Finds the channel for an operation of WhatsApp's Cloud API. Used in the project's turn and by the nodes that serve
 * requests.
 */
import { refuse } from '../../refuse.ts'

/** A channel in memory, or its row. */
export type Candidate = {
  channel_type: string
  provider: string
  name: string
  is_active: boolean
  provider_account_id?: string | null
} & ({ id: string; _id?: undefined } | { _id: string; id?: undefined })

export type ChannelChoice = { channel_id?: string | undefined; phone_number_id?: string | undefined }

const idOf = ({ id, _id }: Candidate) => (id ?? _id)!

/** A number that is connected through the Cloud API, or through a simulator of it. */
export function isCloud({ channel_type, provider }: { channel_type: string; provider: string }): boolean {
  return channel_type === 'whatsapp' && provider !== 'qr'
}

/**
 * The named channel, whatever its state, or the only active one of the Cloud API.
 * @throws {Refusal} CHANNEL_NOT_FOUND, OPERATION_NOT_SUPPORTED_FOR_CHANNEL, CHANNEL_NOT_CONNECTED, CHANNEL_REQUIRED
 */
export function findCloudChannel<C extends Candidate>(channels: Iterable<C>, choice: ChannelChoice): C {
  const all = [...channels]
  const { channel_id, phone_number_id } = choice
  if (channel_id !== undefined || phone_number_id !== undefined) {
    const named = all.find(
      (one) =>
        (channel_id === undefined || idOf(one) === channel_id) &&
        (phone_number_id === undefined ||
          (one.channel_type === 'whatsapp' && one.provider_account_id === phone_number_id)),
    )
    if (!named) throw refuse('CHANNEL_NOT_FOUND', { ...choice })
    if (!isCloud(named)) throw unsupported(named)
    return named
  }
  const active = all.filter((one) => one.channel_type === 'whatsapp' && one.is_active)
  const cloud = active.filter(isCloud)
  if (cloud.length > 1) {
    const listed = cloud.map((one) => ({
      id: idOf(one),
      name: one.name,
      provider_account_id: one.provider_account_id ?? null,
    }))
    throw refuse('CHANNEL_REQUIRED', { channels: listed })
  }
  if (cloud[0]) return cloud[0]
  throw active[0] ? unsupported(active[0]) : refuse('CHANNEL_NOT_CONNECTED', { channel: 'whatsapp' })
}

/** The same for an operation that changes something at the provider: the channel must be active. */
export function pickCloudChannel<C extends Candidate>(channels: Iterable<C>, choice: ChannelChoice): C {
  const channel = findCloudChannel(channels, choice)
  if (!channel.is_active) throw refuse('CHANNEL_NOT_CONNECTED', { channel_id: idOf(channel) })
  return channel
}

function unsupported(channel: Candidate) {
  const { channel_type, provider } = channel
  return refuse('OPERATION_NOT_SUPPORTED_FOR_CHANNEL', { channel_id: idOf(channel), channel_type, provider })
}
