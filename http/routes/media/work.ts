/** The work of the media routes, for files kept here or at a provider. */

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { kindsOf, type ProviderFailure, type ProviderFile, sniffFile, typeOf } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  auditAct,
  type ByteRange,
  blank,
  forgetMedia,
  Media,
  newDate,
  objectId,
  removeMedia,
  storeFile,
  storeMedia,
  withdrawMedia,
} from '../../../storage/mod.ts'
import {
  findKept,
  type Kept,
  type MediaStores,
  mediaStoreForUpload,
  type ProviderMediaStore,
  type Where,
} from '../../media/media_store.ts'
import type { Thumbnails } from '../../media/thumbnails.ts'
import type { SpooledFile } from '../../media/upload_form.ts'
import type { Operation, Outcome } from '../../server/changes/operation.ts'
import type { Download } from '../../server/files/download.ts'
import { isRefusal, throwFailure } from '../cloud_channel.ts'

const DAY_MS = 86_400_000
/** Days a file is kept: as long as WhatsApp keeps files, so that one rule holds everywhere. */
const KEPT_DAYS = 30
/** Time for the provider's answer to a download: the longest wait for a first byte. */
const DOWNLOAD_MS = 15_000

export type MediaUpload = {
  type?: string
  phone_number_id?: string
  purpose?: 'message' | 'note'
  file: SpooledFile
}

/** Stores an upload here or at the channel's provider. */
export async function uploadMedia(
  stores: MediaStores,
  where: Where,
  { type, phone_number_id, purpose, file }: MediaUpload,
  { deadline }: Operation,
): Promise<Outcome> {
  const sniffed = await sniffFile(file.path)
  const typed = typeOf(sniffed, { ...file, type: type ?? null })
  const { file_size, sha256, filename } = file
  if ('conflict' in typed) throw notAccepted(`The file ${typed.conflict}.`, { mime_type: sniffed.mime_type, file_size })
  const { mime_type } = typed
  const media_store = purpose === 'note' ? undefined : await mediaStoreForUpload(stores, where, phone_number_id)
  const created_at = newDate()
  const row = blank(Media, {
    media_id: objectId(),
    company_id: where.company_id,
    project_id: where.project_id,
    mime_type,
    file_size,
    sha256,
    filename,
    created_at,
    expires_at: new Date(created_at.getTime() + KEPT_DAYS * DAY_MS),
  })
  if (media_store) await storeAtProvider(where, media_store, row, { ...file, ...sniffed, mime_type }, deadline)
  else {
    await stores.room.take(where.project_id, file_size)
    const bytes = () => createReadStream(file.path, { highWaterMark: 256 * 1024 })
    if (!(await storeFile(stores.blobs, where.database, { ...row, blob_key: row.media_id }, bytes))) throw gone()
  }
  return { changes: [], answer: { body: show(row) } }
}

async function storeAtProvider(
  { database }: Where,
  { channel, provider, credentials }: ProviderMediaStore,
  row: Media,
  file: Parameters<ProviderMediaStore['provider']['upload']>[1],
  deadline: number,
): Promise<void> {
  const { mime_type, file_size } = file
  const accepted = provider.refusal(file)
  if (accepted) {
    const most = accepted.find((one) => one.mime_type === mime_type)?.max_bytes
    const why =
      most === undefined || file_size <= most ? `no files of type ${mime_type}` : `${mime_type} up to ${most} bytes`
    throw notAccepted(`The channel's provider takes ${why}.`, { mime_type, file_size, accepted })
  }
  const uploaded = await provider.upload(credentials, file, deadline)
  if ('failure' in uploaded) {
    const { code, message } = uploaded.failure
    if (!isRefusal(uploaded.failure)) throwFailure(uploaded.failure)
    throw notAccepted(message, { mime_type, file_size, provider: { code, message } })
  }
  row.channel_id = channel._id
  row.provider_media_id = uploaded.provider_media_id
  row.expires_at = new Date(row.created_at.getTime() + provider.days * DAY_MS)
  if (!(await storeMedia(database, row))) throw gone()
}

/** The project was erased meanwhile, and its tokens with it. */
const gone = () => new Refusal('UNAUTHENTICATED')

/** @throws {Refusal} NOT_FOUND */
export async function describeMedia(
  stores: MediaStores,
  where: Where,
  media_id: string,
  phone_number_id: string,
  { deadline }: Operation,
): Promise<Outcome> {
  const kept = await findKept(stores, where, media_id, phone_number_id)
  if (kept.by === 'us') return { changes: [], answer: { body: show(kept.row) } }
  const { url, mime_type, file_size, sha256 } = await askProvider(kept, deadline)
  const record = kept.row
    ? show(kept.row)
    : { media_id, mime_type, file_size, sha256, filename: null, expires_at: null }
  return { changes: [], answer: { body: { ...record, url } } }
}

/** @throws {Refusal} NOT_FOUND */
export async function deleteMedia(
  stores: MediaStores,
  where: Where,
  media_id: string,
  phone_number_id: string,
  { deadline }: Operation,
): Promise<Outcome> {
  const kept = await findKept(stores, where, media_id, phone_number_id)
  if (kept.by === 'us') {
    const { row, media_store } = kept
    const { received_media_id } = row
    if (received_media_id && media_store) {
      const removed = await media_store.provider.remove(media_store.credentials, received_media_id, deadline)
      if ('failure' in removed) throwFailure(removed.failure)
    }
    await removeHere(stores, where, row)
  } else {
    // Deletes only ids that are files for certain: the provider's token may reach objects of other kinds.
    if (!kept.row) await askProvider(kept, deadline)
    const { media_store, provider_media_id, row } = kept
    const removed = await media_store.provider.remove(media_store.credentials, provider_media_id, deadline)
    if ('failure' in removed) throwFailure(removed.failure)
    if (row) await removeMedia(where.database, row)
    else
      await auditAct(where.database, {
        target_kind: 'media',
        target_id: media_id,
        ...ownerOf(where),
        before: { media_id },
      })
  }
  return { changes: [], answer: {} }
}

const ownerOf = ({ company_id, project_id }: Where) => ({ company_id, project_id })

/** Expires the row, then removes the bytes, then the row. The hourly tidying finishes an interrupted removal. */
async function removeHere({ blobs }: MediaStores, { database }: Where, row: Media): Promise<void> {
  await withdrawMedia(database, row)
  await blobs.remove(row.blob_key!)
  await forgetMedia(database, row.media_id)
}

/** @throws {Refusal} NOT_FOUND */
export async function downloadMedia(
  stores: MediaStores,
  where: Where,
  media_id: string,
  phone_number_id: string,
): Promise<Download> {
  const kept = await findKept(stores, where, media_id, phone_number_id)
  const content_type = 'application/octet-stream'
  if (kept.by === 'us') return { ...downloadHere(stores, kept.row), content_type }
  const file = await askProvider(kept, performance.now() + DOWNLOAD_MS)
  return { ...downloadThere(kept.media_store, file), filename: kept.row?.filename ?? null, content_type }
}

/** @throws {Refusal} NOT_FOUND, also for a file that only the provider knows; MEDIA_NOT_ACCEPTED */
export async function thumbnailOf(
  stores: MediaStores,
  thumbnails: Thumbnails,
  where: Where,
  media_id: string,
  phone_number_id: string,
): Promise<Download> {
  const kept = await findKept(stores, where, media_id, phone_number_id)
  const { row } = kept
  if (!row) throw new Refusal('NOT_FOUND')
  const open = async () => {
    if (kept.by === 'us') return downloadHere(stores, row).open()
    return downloadThere(kept.media_store, await askProvider(kept, performance.now() + DOWNLOAD_MS)).open()
  }
  const bytes = await thumbnails.of(where.database, row, open)
  return {
    size: bytes.length,
    etag: `"${row.sha256}-thumbnail"`,
    content_type: 'image/webp',
    filename: null,
    is_inline: true,
    open: async ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
      Readable.from([bytes.subarray(start, end + 1)]),
  }
}

type Bytes = Omit<Download, 'content_type'>

export function downloadHere({ blobs }: MediaStores, row: Media): Bytes {
  const open = async (range?: ByteRange) => {
    const found = await blobs.get(row.blob_key!, range)
    if (!found) throw new Refusal('NOT_FOUND')
    return found.stream
  }
  return { size: row.file_size, etag: `"${row.sha256}"`, filename: row.filename ?? null, open }
}

export function downloadThere({ provider, credentials }: ProviderMediaStore, file: ProviderFile): Bytes {
  const open = async (range?: ByteRange) => {
    const begun = await provider.download(credentials, file, performance.now() + DOWNLOAD_MS, range)
    if ('failure' in begun) throwFailure(begun.failure)
    return begun.stream
  }
  const etag = /^[0-9a-f]{64}$/.test(file.sha256) ? `"${file.sha256}"` : null
  return { size: file.file_size, etag, filename: null, open }
}

/** The provider's facts about a file. @throws {Refusal} NOT_FOUND */
export async function askProvider(
  { media_store, provider_media_id }: Extract<Kept, { by: 'provider' }>,
  deadline: number,
): Promise<ProviderFile> {
  const found = await media_store.provider.find(media_store.credentials, provider_media_id, deadline)
  if ('failure' in found) throwFailure(found.failure as ProviderFailure)
  if (!found.file) throw new Refusal('NOT_FOUND')
  return found.file
}

function show({ media_id, mime_type, file_size, sha256, filename = null, expires_at }: Media) {
  return { media_id, mime_type, file_size, sha256, filename, expires_at }
}

function notAccepted(message: string, details: Record<string, unknown>): Refusal {
  return new Refusal('MEDIA_NOT_ACCEPTED', {
    message,
    details: { ...details, kinds: kindsOf(String(details.mime_type)) },
  })
}
