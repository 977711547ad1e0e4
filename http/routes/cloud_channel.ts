/** The channel that an operation of WhatsApp's Cloud API works with, and what the provider's no means for the client. */

import type { WhatsAppCredentials } from '../../actors/mod.ts'
import { type ChannelChoice, findCloudChannel, type ProviderFailure, pickCloudChannel } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { Channel, type Database, readRows } from '../../storage/mod.ts'
import { UpstreamFailure } from '../server/operation.ts'

export type CloudChannel = { channel: Channel; credentials: WhatsAppCredentials }

type Where = { database: Database; project_id: string }

/** The named channel of the project, or its only active one; for looking at. Throws as `findCloudChannel` does. */
export async function cloudChannelOf({ database, project_id }: Where, choice: ChannelChoice): Promise<Channel> {
  return findCloudChannel(await readRows(database, Channel, { project_id }), choice)
}

/** The same, to work with: it must be active. */
export async function openCloudChannel(where: Where, choice: ChannelChoice): Promise<CloudChannel> {
  const { database, project_id } = where
  const channel = pickCloudChannel(await readRows(database, Channel, { project_id }), choice)
  return { channel, credentials: JSON.parse(database.vault.open(channel._id, 'credentials', channel.credentials!)) }
}

/** Whether the provider itself said no, and would say it again. */
export function isRefusal({ kind, code }: ProviderFailure): boolean {
  // Without a code of the provider it comes from something in between.
  return kind === 'refuse' && /^\d+$/.test(code)
}

/**
 * @throws {Refusal} PROVIDER_REFUSED, CHANNEL_NOT_CONNECTED when it does not take the channel's credentials
 * @throws {UpstreamFailure} WHATSAPP_UPSTREAM_ERROR when it could not be asked, or cannot do it now
 */
export function throwFailure(failure: ProviderFailure): never {
  const { kind, code, message } = failure
  const details = { provider: { code, message } }
  if (isRefusal(failure)) throw new Refusal('PROVIDER_REFUSED', { message, details })
  if (kind === 'disconnect') {
    const text = `The provider does not take this channel's credentials: ${message}`
    throw new Refusal('CHANNEL_NOT_CONNECTED', { message: text, details })
  }
  throw new UpstreamFailure('WHATSAPP_UPSTREAM_ERROR', failure)
}
