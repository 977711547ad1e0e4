/** Channels of WhatsApp's Cloud API for an operation, and the errors for a provider's failures. */

import {
  type ChannelChoice,
  findCloudChannel,
  type ProviderFailure,
  pickCloudChannel,
  type WhatsAppCredentials,
} from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { Channel, type Database, readRows } from '../../storage/mod.ts'
import { UpstreamFailure } from '../server/changes/operation.ts'

export type CloudChannel = { channel: Channel; credentials: WhatsAppCredentials }

type Where = { database: Database; project_id: string }

/** The named channel of the project, or its only active one; for reading. Throws as `findCloudChannel` does. */
export async function cloudChannelOf({ database, project_id }: Where, choice: ChannelChoice): Promise<Channel> {
  return findCloudChannel(await readRows(database, Channel, { project_id }), choice)
}

/** The same, for an operation at the provider: the channel must be active. */
export async function openCloudChannel(where: Where, choice: ChannelChoice): Promise<CloudChannel> {
  const { database, project_id } = where
  const channel = pickCloudChannel(await readRows(database, Channel, { project_id }), choice)
  return { channel, credentials: JSON.parse(database.vault.open(channel._id, 'credentials', channel.credentials!)) }
}

/** True when the provider itself refused, and would refuse a repeat. */
export function isRefusal({ kind, code }: ProviderFailure): boolean {
  // A failure without a numeric code comes from a proxy or the network, not from the provider.
  return kind === 'refuse' && /^\d+$/.test(code)
}

/**
 * @throws {Refusal} PROVIDER_REFUSED; CHANNEL_NOT_CONNECTED when the provider does not accept the channel's credentials
 * @throws {UpstreamFailure} `upstream` when the provider cannot be reached, or cannot do it now
 */
export function throwFailure(
  failure: ProviderFailure,
  upstream: 'WHATSAPP_UPSTREAM_ERROR' | 'PROVIDER_UPSTREAM_ERROR' = 'WHATSAPP_UPSTREAM_ERROR',
): never {
  const { kind, code, message } = failure
  const details = { provider: { code, message } }
  if (isRefusal(failure)) throw new Refusal('PROVIDER_REFUSED', { message, details })
  if (kind === 'disconnect') {
    const text = `The provider does not take this channel's credentials: ${message}`
    throw new Refusal('CHANNEL_NOT_CONNECTED', { message: text, details })
  }
  throw new UpstreamFailure(upstream, failure)
}
