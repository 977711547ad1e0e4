/** Files that messages refer to by `media_id`. */
import { type Database, isObjectId, type Media, readFetches, readMedia } from '../../../storage/mod.ts'
import { kindsOf, type MediaKind, mediaKinds, mediaLink } from '../../media/mod.ts'
import type { Payload, UploadedFile } from '../../providers/mod.ts'
import { fileKindOf } from '../../providers/whatsapp/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'

/** The files of a turn's messages. */
export type Files = {
  /**
   * `kind`: the type of message that sends the file.
   * @throws {Refusal} MEDIA_NOT_FOUND when the project has no such file for this channel, or the file has expired;
   * MEDIA_NOT_ACCEPTED when the file is of another kind
   */
  of(media_id: string, channel: ProjectChannel, kind?: MediaKind): UploadedFile
  /**
   * A file whose bytes are here, whatever its channel.
   * @throws {Refusal} MEDIA_NOT_FOUND
   */
  kept(media_id: string): Media
  /** The row of a file that the turn has read. */
  find(media_id: string): Media | undefined
}

/** Channels whose adapters send links only and know no provider's ids. */
const LINKS_ONLY = ['web', 'email']

/** Ids of the provider, such as those of received files. Only the provider can check them. */
const providerFiles: Files = {
  of(media_id, { channel_type }) {
    if (isObjectId(media_id) || LINKS_ONLY.includes(channel_type)) {
      throw refuse('MEDIA_NOT_FOUND', { media_id })
    }
    return { media_id, provider_media_id: media_id, link: '', mime_type: null, filename: null }
  },
  kept(media_id) {
    throw refuse('MEDIA_NOT_FOUND', { media_id }, 'Parley keeps no file with this media_id, or its time is over.')
  },
  find: () => undefined,
}

/** The ids in a message, each with the kind that the message sends. */
export function filesOf(message: Payload): Map<string, MediaKind> {
  const files = new Map<string, MediaKind>()
  const want = (node: { type: string; media_id?: string } | undefined) => {
    const kind = mediaKinds.find((one) => one === node?.type)
    if (node?.media_id !== undefined && kind) files.set(node.media_id, kind)
  }
  if (message.type === 'carousel') for (const { header } of message.cards) want(header)
  else if (message.type === 'buttons') want(message.header)
  else if (message.type === 'template') {
    for (const [name, value] of Object.entries(message.variables ?? {})) {
      const kind = fileKindOf(name, value)
      if (kind) files.set(value, kind)
    }
  } else if ('media_id' in message) want(message)
  return files
}

/** Adds the files of a message to the reads. */
export function wantFiles(reads: Reads, message: Payload): void {
  for (const media_id of filesOf(message).keys()) reads.of(fileReads).add(media_id)
}

/** Reads the files of a turn. `base_url`: the address under which providers reach the API. */
export async function readFiles(
  database: Database,
  { project_id, base_url }: { project_id: string; base_url: string },
  media_ids: Iterable<string>,
  now: Date,
): Promise<Files> {
  const ids = [...media_ids]
  const rows = await readMedia(database, project_id, ids, now)
  const found = new Map(rows.map((row) => [row.media_id, row]))
  const missing = ids.filter((media_id) => isObjectId(media_id) && !found.has(media_id))
  const fetches = new Map((await readFetches(database, project_id, missing)).map((one) => [one.media_id, one]))
  return {
    of(media_id, channel, kind) {
      const row = found.get(media_id)
      // The channel that has the file of a person can send it before it is here.
      const fetch = fetches.get(media_id)
      const waiting = fetch?.channel_id === channel.id ? fetch.reference.provider_media_id : undefined
      if (!row) return providerFiles.of(typeof waiting === 'string' ? waiting : media_id, channel)
      // A provider keeps a file for one channel only.
      if (row.channel_id && row.channel_id !== channel.id) {
        throw refuse(
          'MEDIA_NOT_FOUND',
          { media_id, channel_id: row.channel_id },
          'The file was uploaded for another channel.',
        )
      }
      if (kind && !kindsOf(row.mime_type).includes(kind)) throw wrongKind(row, kind)
      const { provider_media_id = null, mime_type, filename = null } = row
      const link = mediaLink(base_url, database.vault, row, now)
      return { media_id, provider_media_id, link, mime_type, filename }
    },
    kept(media_id) {
      const row = found.get(media_id)
      return row?.blob_key ? row : providerFiles.kept(media_id)
    },
    find: (media_id) => found.get(media_id),
  }
}

function wrongKind({ media_id, mime_type, file_size }: Media, kind: MediaKind) {
  const kinds = kindsOf(mime_type)
  const text = `The file is ${mime_type}: it can be sent as ${kinds.join(' or ')}, not as ${kind}.`
  return refuse('MEDIA_NOT_ACCEPTED', { media_id, mime_type, file_size, kinds }, text)
}

/** Files by `media_id`. */
export const fileReads: ReadKind<Set<string>, { files: Files }> = {
  keys: () => new Set(),
  found: () => ({ files: providerFiles }),
  async read(found, media_ids, { database, state, now }) {
    found.files = await readFiles(database, state, media_ids, now)
  },
}
