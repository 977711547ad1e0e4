/** The store of a file, ours or a provider's, with the account for its requests. */
import type { MediaProviders, ProviderMedia } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  type BlobStore,
  Channel,
  type Database,
  findMedia,
  findProviderMedia,
  findReceivedMedia,
  isObjectId,
  type Media,
  newDate,
  readFetches,
  readRows,
} from '../../storage/mod.ts'
import type { FileRoom } from './file_room.ts'

export type MediaStores = { blobs: BlobStore; room: FileRoom; providers: MediaProviders }

export type Where = { database: Database; company_id: string; project_id: string }

export type ProviderMediaStore = { channel: Channel; provider: ProviderMedia; credentials: Record<string, string> }

/**
 * A file that was found. `row` is missing for a file that only the provider has. `media_store` of a file that we keep: the
 * provider that has it, too, by its `received_media_id`.
 */
export type Kept =
  | { by: 'us'; row: Media; media_store?: ProviderMediaStore | undefined }
  | { by: 'provider'; media_store: ProviderMediaStore; provider_media_id: string; row: Media | undefined }

/** The channel's provider with its credentials; undefined when we store the files of such a channel. */
export function mediaStoreOf(
  { providers }: MediaStores,
  database: Database,
  channel: Channel,
): ProviderMediaStore | undefined {
  const provider = providers.of(channel)
  if (!provider || !channel.credentials) return undefined
  return {
    channel,
    provider,
    credentials: JSON.parse(database.vault.open(channel._id, 'credentials', channel.credentials)),
  }
}

/**
 * The store for an upload: the channel that `phone_number_id` names (by that id or by its id here), else the only
 * active channel whose provider stores files. Undefined: the file is stored by us, for any channel but those.
 *
 * @throws {Refusal} CHANNEL_NOT_FOUND, CHANNEL_NOT_CONNECTED, CHANNEL_REQUIRED
 */
export async function mediaStoreForUpload(
  stores: MediaStores,
  { database, project_id }: Where,
  phone_number_id: string | undefined,
): Promise<ProviderMediaStore | undefined> {
  const channels = await readRows(database, Channel, { project_id })
  if (phone_number_id !== undefined) {
    const named = channels.find((one) => isNamed(one, phone_number_id))
    if (!named) throw new Refusal('CHANNEL_NOT_FOUND', { details: { phone_number_id } })
    if (!named.is_active) throw new Refusal('CHANNEL_NOT_CONNECTED', { details: { channel_id: named._id } })
    return mediaStoreOf(stores, database, named)
  }
  const media_stores = channels.filter((one) => one.is_active && stores.providers.of(one))
  if (media_stores.length > 1) {
    const listed = media_stores.map(({ _id, name, provider_account_id }) => ({ id: _id, name, provider_account_id }))
    const message = 'Several active channels keep files; name one in phone_number_id.'
    throw new Refusal('CHANNEL_REQUIRED', { message, details: { channels: listed } })
  }
  return media_stores[0] && mediaStoreOf(stores, database, media_stores[0])
}

/**
 * A file by our id or by its provider's. A provider's file is found only with the account that stores it. Our files
 * belong to the project as a whole, so `phone_number_id` is ignored for them. A file of a person that is still to be fetched
 * is its provider's, where that gives files out by an id.
 *
 * @throws {Refusal} NOT_FOUND
 */
export async function findKept(
  stores: MediaStores,
  { database, project_id }: Where,
  media_id: string,
  phone_number_id: string,
): Promise<Kept> {
  const now = newDate()
  const row = await findMedia(database, project_id, media_id, now)
  if (row?.blob_key && !row.received_media_id) return { by: 'us', row }
  const channel = (await readRows(database, Channel, { project_id })).find((one) => isNamed(one, phone_number_id))
  const media_store = channel && mediaStoreOf(stores, database, channel)
  if (row?.blob_key) return { by: 'us', row, media_store }
  if (!media_store || (row && row.channel_id !== media_store.channel._id)) throw new Refusal('NOT_FOUND')
  if (row) return { by: 'provider', media_store, provider_media_id: row.provider_media_id!, row }
  const received = await findReceivedMedia(database, project_id, media_id, now)
  if (received) return { by: 'us', row: received, media_store }
  const waiting = await findWaiting(database, project_id, media_id, media_store.channel._id)
  if (waiting) return { by: 'provider', media_store, provider_media_id: waiting, row: undefined }
  const theirs = await findProviderMedia(database, media_store.channel._id, media_id, now)
  return { by: 'provider', media_store, provider_media_id: media_id, row: theirs }
}

/** The provider's id of a file that is still to be fetched from this channel. */
async function findWaiting(database: Database, project_id: string, media_id: string, channel_id: string) {
  if (!isObjectId(media_id)) return undefined
  const [fetch] = await readFetches(database, project_id, [media_id])
  const provider_media_id = fetch?.reference.provider_media_id
  return fetch?.channel_id === channel_id && typeof provider_media_id === 'string' ? provider_media_id : undefined
}

function isNamed({ _id, provider_account_id }: Channel, name: string): boolean {
  return _id === name || provider_account_id === name
}
