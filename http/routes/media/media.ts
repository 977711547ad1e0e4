/** Files for messages: uploads, and reading of uploaded and received files. */
import * as v from 'valibot'
import { isMediaLink, mediaKinds, named, plainIdPattern, timestamp } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { Channel, findLinkedMedia, newDate, readRows } from '../../../storage/mod.ts'
import { type MediaStores, mediaStoreOf } from '../../media/media_store.ts'
import type { Thumbnails } from '../../media/thumbnails.ts'
import { readUploadForm } from '../../media/upload_form.ts'
import { check } from '../../server/parse/validation.ts'
import type { IncomingForm, ReceivedForm, RequestContext, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { lowerOwnId } from '../../server/schema/fields.ts'
import {
  askProvider,
  deleteMedia,
  describeMedia,
  downloadHere,
  downloadMedia,
  downloadThere,
  type MediaUpload,
  thumbnailOf,
  uploadMedia,
} from './work.ts'

export type MediaHooks = MediaStores & {
  /** Directory for uploads under way. */
  uploads_directory: string
  thumbnails: Thumbnails
}

const MIB = 1024 * 1024
const FILE_LIMIT = 100 * MIB
/** The file, the text fields, and the boundaries between them. */
const BODY_LIMIT = FILE_LIMIT + MIB

/** An id of ours, or of a provider. */
const mediaId = /^[A-Za-z0-9_-]{1,128}$/
const accountId = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]{1,128}$/, 'must be the phone_number_id of a channel'),
  lowerOwnId,
  v.description('The channel: its phone_number_id, or its id'),
)

const fields = v.strictObject({
  type: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        new RegExp(`^(?:${mediaKinds.join('|')}|[a-z0-9.+-]{1,64}/[a-z0-9.+-]{1,100}(?: *;.{0,100})?)$`, 'i'),
        `must be a MIME type such as image/png, or one of ${mediaKinds.join(', ')}`,
      ),
    ),
  ),
  phone_number_id: v.optional(accountId),
  purpose: v.optional(
    v.pipe(
      v.picklist(['message', 'note']),
      v.description('`note`: Parley keeps the file, for notes and for channels whose files it keeps. Default message'),
    ),
  ),
})

const media = named(
  'Media',
  v.object({
    media_id: v.string(),
    mime_type: v.string(),
    file_size: v.pipe(v.number(), v.integer(), v.description('Bytes')),
    sha256: v.pipe(v.string(), v.description('Hex')),
    filename: v.nullable(v.string()),
    expires_at: v.pipe(v.nullable(timestamp), v.description('Null when only the provider knows')),
  }),
)

const withUrl = named(
  'MediaWithUrl',
  v.object({
    ...media.entries,
    url: v.optional(
      v.pipe(
        v.string(),
        v.description('The file at the provider; needs the access token of the channel, expires within minutes'),
      ),
    ),
  }),
)

const fetched = named(
  'FetchedMedia',
  v.object({
    media_id: v.string(),
    media_status: v.pipe(
      v.picklist(['pending', 'stored']),
      v.description(
        '`stored` when it is here already; else the message and `{channel}.message.media` tell what comes of it',
      ),
    ),
  }),
)

const one = { params: { mediaId } } as const
const query = v.strictObject({ phone_number_id: accountId })
const providerErrors = ['NOT_FOUND', 'CHANNEL_NOT_CONNECTED', 'PROVIDER_REFUSED', 'WHATSAPP_UPSTREAM_ERROR'] as const
const reads = { auth: 'token', scope: 'media:read' } as const
const writes = { auth: 'token', scope: 'media:write' } as const

export function mediaRoutes(hooks: MediaHooks): Route[] {
  return [
    route({
      ...writes,
      method: 'POST',
      path: '/v1/media/upload',
      operation: 'upload_media',
      example: { body: {} },
      summary:
        'Upload a file (multipart/form-data: file, type?, phone_number_id?, purpose?) and get the media_id to send it with',
      body_limit: BODY_LIMIT,
      status: 200,
      response: media,
      errors: [
        'MEDIA_NOT_ACCEPTED',
        'MEDIA_LIMIT_REACHED',
        'CHANNEL_REQUIRED',
        'CHANNEL_NOT_FOUND',
        'CHANNEL_NOT_CONNECTED',
        'WHATSAPP_UPSTREAM_ERROR',
      ],
      form_fields: fields,
      form: (incoming) => receive(hooks, incoming),
      act: ({ body }, context, operation) => uploadMedia(hooks, context, body, operation),
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/media/:mediaId',
      operation: 'get_media',
      example: { query: { phone_number_id: '106540352242922' } },
      summary: 'Get the facts about an uploaded or received file',
      query,
      status: 200,
      response: withUrl,
      errors: [...providerErrors],
      act: ({ params, query }, context, operation) =>
        describeMedia(hooks, context, params.mediaId, query.phone_number_id, operation),
    }),
    route({
      ...writes,
      ...one,
      method: 'DELETE',
      path: '/v1/media/:mediaId',
      operation: 'delete_media',
      example: { query: { phone_number_id: '106540352242922' } },
      audited: true,
      summary: 'Delete a file, also at its provider',
      query,
      status: 204,
      errors: [...providerErrors],
      act: ({ params, query }, context, operation) =>
        deleteMedia(hooks, context, params.mediaId, query.phone_number_id, operation),
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/media/:mediaId/download',
      operation: 'download_media',
      example: { query: { phone_number_id: '106540352242922' } },
      summary: 'Download a file, or parts of it with Range',
      query,
      status: 200,
      errors: [...providerErrors, 'RANGE_NOT_SATISFIABLE'],
      download: ({ params, query }, context) => downloadMedia(hooks, context, params.mediaId, query.phone_number_id),
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/media/:mediaId/thumbnail',
      operation: 'get_media_thumbnail',
      example: { query: { phone_number_id: '106540352242922' } },
      summary: 'Get a small version of a picture, of at most 640 by 640 pixels',
      query,
      status: 200,
      response_type: 'image/webp',
      errors: [...providerErrors, 'MEDIA_NOT_ACCEPTED', 'RANGE_NOT_SATISFIABLE'],
      download: ({ params, query }, context) =>
        thumbnailOf(hooks, hooks.thumbnails, context, params.mediaId, query.phone_number_id),
    }),
    route({
      ...writes,
      ...one,
      method: 'POST',
      path: '/v1/media/:mediaId/fetch',
      operation: 'fetch_media',
      summary: 'Fetch a file that a person sent from its provider again, when it could not be fetched',
      status: 202,
      response: fetched,
      errors: ['NOT_FOUND'],
      command: ({ params }) => ({ type: 'fetch_media', id: params.mediaId }),
    }),
    ...(['', '/:filename'] as const).map((name) =>
      route({
        method: 'GET',
        path: `/media/:media_id/:expires/:signature${name}`,
        operation: name === '' ? 'get_linked_media' : 'get_linked_media_by_name',
        summary: 'Download a file by the link in a message; the address itself is the permission',
        auth: 'none',
        pool: 'exempt',
        params: { media_id: plainIdPattern, expires: /^\d{10}$/, signature: /^[\w-]{43}$/ },
        status: 200,
        errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'WHATSAPP_UPSTREAM_ERROR'],
        download: ({ params }, context) => linked(hooks, context, params),
      }),
    ),
  ]
}

async function receive({ uploads_directory }: MediaHooks, incoming: IncomingForm): Promise<ReceivedForm<MediaUpload>> {
  const names = Object.keys(fields.entries)
  const form = await readUploadForm(incoming, { directory: uploads_directory, fields: names, file_limit: FILE_LIMIT })
  const checked = check(fields, form.fields)
  if ('violations' in form) {
    return { violations: [...form.violations, ...('violations' in checked ? checked.violations : [])] }
  }
  if ('violations' in checked) {
    await form.discard()
    return checked
  }
  const { file, discard } = form
  const { sha256, filename, part_type } = file
  const identity = JSON.stringify([checked.value, sha256, filename, part_type])
  return { value: { ...(checked.value as object), file }, identity, discard }
}

type Link = { media_id: string; expires: string; signature: string }

/** Types that browsers may display inline: none of them can run code. */
const SHOWN = /^(?:image\/(?:jpeg|png|webp|gif)|(?:video|audio)\/[\w.+-]+|application\/pdf|text\/plain)$/
const LINK_MAX_AGE_S = 86_400

async function linked(hooks: MediaHooks, { database, stranger }: RequestContext, link: Link) {
  const now = newDate()
  if (!isMediaLink(database.vault, link, now)) {
    // Only invalid links count as misses. Providers fetch for all their customers from a few addresses, so valid links
    // are served whatever else an address asks.
    stranger!.check('unknown_path')
    stranger!.count('unknown_path')
    throw new Refusal('NOT_FOUND')
  }
  const row = await findLinkedMedia(database, link.media_id, now)
  if (!row) throw new Refusal('NOT_FOUND')
  const is_inline = SHOWN.test(row.mime_type)
  const content_type = is_inline ? row.mime_type : 'application/octet-stream'
  const about = { content_type, is_inline, filename: row.filename ?? null, max_age_s: LINK_MAX_AGE_S }
  if (row.blob_key) return { ...downloadHere(hooks, row), ...about }
  const [channel] = await readRows(database, Channel, { _id: row.channel_id! })
  const media_store = channel && mediaStoreOf(hooks, database, channel)
  if (!media_store) throw new Refusal('NOT_FOUND')
  const kept = { by: 'provider', media_store, provider_media_id: row.provider_media_id!, row } as const
  const file = await askProvider(kept, performance.now() + LINK_DEADLINE_MS)
  return { ...downloadThere(media_store, file), ...about }
}

const LINK_DEADLINE_MS = 15_000
