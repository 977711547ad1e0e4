/** The stored conversation with a visitor, which live messages precede. */
import { mediaLink, refOf, uploadsIn, type VisitorMessage, withLinks } from '../../actors/mod.ts'
import {
  Contact,
  type Database,
  listMessages,
  type MessageRecord,
  newDate,
  readMedia,
  readRows,
} from '../../storage/mod.ts'
import type { WebChannel } from './channels.ts'

export type History = {
  /** Oldest first. */
  messages: VisitorMessage[]
  /** Position of the older messages; null when there are none. */
  before: string | null
}

const PAGE = 50

/** `base_url`: public address of the API. `sent`: our messages among them. `is_known`: there is a contact. */
export async function readHistory(
  database: Database,
  base_url: string,
  { _id: channel_id, company_id, project_id }: WebChannel,
  user_id: string,
  before: string | undefined,
): Promise<History & { sent: string[]; is_known: boolean }> {
  const person = { company_id, project_id, channel_type: 'web', user_id }
  const contacts = await readRows(database, Contact, { ...person, channel_id }, { ...person, channel_id: null })
  // As for messages: the contact of this very channel takes precedence over the one of the channel type.
  const contact = contacts.find((one) => one.channel_id === channel_id) ?? contacts[0]
  if (!contact) return { messages: [], before: null, sent: [], is_known: false }
  const page = await listMessages(database, project_id, { chat_user: contact._id }, { limit: PAGE, cursor: before })
  const rows = page.data.filter((row) => row.channel_id === channel_id && row.status !== 'failed').reverse()
  const now = newDate()
  const uploads = await readMedia(
    database,
    project_id,
    [...new Set(rows.flatMap(({ message }) => uploadsIn(message)))],
    now,
  )
  const links = new Map(
    uploads.map((row) => {
      const link = mediaLink(base_url, database.vault, row, now)
      return [row.media_id, { link, filename: row.filename ?? null }]
    }),
  )
  const refs = new Map(rows.map((row) => [row.id, refFor(row)]))
  const name = (id: unknown) => (typeof id === 'string' && id.startsWith('msg_') ? (refs.get(id) ?? refOf(id)) : id)
  const messages = rows.map((row): VisitorMessage => {
    const linked = withLinks(row.message, (media_id) => links.get(media_id))
    return {
      ref: refFor(row),
      direction: row.direction,
      at: row.created_at.toISOString(),
      context: (name(row.context?.message_id) as string | undefined) ?? null,
      ...(row.direction === 'outbound' && { status: row.status }),
      message: row.type === 'reaction' ? { ...linked, message_id: name(linked.message_id) } : linked,
    }
  })
  const sent = rows.filter(({ direction }) => direction === 'outbound').map(({ id }) => id)
  return { messages, before: page.next_cursor, sent, is_known: true }
}

/** A queued message has no provider's id yet, but will have this one. */
function refFor({ provider_message_id, id }: MessageRecord): string {
  return provider_message_id ?? refOf(id)
}
