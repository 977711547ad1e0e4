/** The stored conversation with a visitor, which live messages precede. */
import {
  mediaLink,
  refOf,
  sourcesIn,
  uploadsIn,
  type VisitorAgent,
  type VisitorMessage,
  withLinks,
} from '../../actors/mod.ts'
import {
  Contact,
  type Database,
  findReadByAgents,
  findVisitorAgent,
  listVisitorMessages,
  newDate,
  readMedia,
  readRows,
  type ShownMessage,
} from '../../storage/mod.ts'
import { photoPath } from '../server/files/photo_path.ts'
import type { WebChannel } from './channels.ts'

export type History = {
  /** Oldest first. */
  messages: VisitorMessage[]
  /** Position of the older messages; null when there are none. */
  before: string | null
  /** The person who answers; null while nobody in particular does. */
  agent: VisitorAgent | null
  /** True when the visitor can be reached by e-mail, too. */
  has_email: boolean
}

const PAGE = 50
/**
 * Bytes of the contents in one page, or one message that is larger. A page lies in memory until its visitor has read it,
 * and anyone can open sockets that read nothing.
 */
const PAGE_BYTES = 128 * 1024

/** `base_url`: public address of the API. `sent`: our messages among them. `chat_user`: the contact, if there is one. */
export async function readHistory(
  database: Database,
  base_url: string,
  channel: WebChannel,
  user_id: string,
  before: string | undefined,
): Promise<History & { sent: string[]; chat_user: string | undefined }> {
  const { _id: channel_id, project_id } = channel
  const chat_user = await findChatUser(database, channel, user_id)
  if (chat_user === undefined) {
    return { messages: [], before: null, agent: null, has_email: false, sent: [], chat_user: undefined }
  }
  const agent = await readAgent(database, project_id, chat_user)
  const read_id = (await findReadByAgents(database, project_id, chat_user))?.id
  const page = await listVisitorMessages(
    database,
    project_id,
    { chat_user, user_id },
    {
      limit: PAGE,
      cursor: before,
      bytes: PAGE_BYTES,
    },
  )
  const rows = page.data.filter((row) => row.channel_id === channel_id && row.status !== 'failed').reverse()
  const links = await linksFor(
    database,
    base_url,
    project_id,
    rows.map(({ message }) => message),
  )
  const refs = new Map(rows.map((row) => [row.id, refFor(row)]))
  const name = (id: unknown) => (typeof id === 'string' && id.startsWith('msg_') ? (refs.get(id) ?? refOf(id)) : id)
  const messages = rows.map((row): VisitorMessage => {
    const linked = withLinks(row.message, links)
    return {
      id: row.id,
      ref: refFor(row),
      direction: row.direction,
      at: row.created_at.toISOString(),
      context: (name(row.context?.message_id) as string | undefined) ?? null,
      ...(statusOf(row, read_id) && { status: statusOf(row, read_id) }),
      message: row.type === 'reaction' ? { ...linked, message_id: name(linked.message_id) } : linked,
      ...(row.direction === 'outbound' && sourcesIn(row.meta_data)),
    }
  })
  const sent = rows.filter(({ direction }) => direction === 'outbound').map(({ id }) => id)
  const has_email = await hasEmail(database, chat_user)
  return { messages, before: page.next_cursor, agent, has_email, sent, chat_user }
}

/** A content with a link for each of its files. */
export async function withFileLinks(
  database: Database,
  base_url: string,
  project_id: string,
  content: Content,
): Promise<Content> {
  return withLinks(content, await linksFor(database, base_url, project_id, [content]))
}

type Content = Record<string, unknown>

/** Finds the link of a file by its id. */
async function linksFor(database: Database, base_url: string, project_id: string, contents: readonly Content[]) {
  const now = newDate()
  const ids = [...new Set(contents.flatMap((content) => uploadsIn(content)))]
  const uploads = await readMedia(database, project_id, ids, now)
  const links = new Map(
    uploads.map((row) => {
      const link = mediaLink(base_url, database.vault, row, now)
      return [row.media_id, { link, filename: row.filename ?? null }]
    }),
  )
  return (media_id: string) => links.get(media_id)
}

/** The contact of a visitor, if there is one. */
export async function findChatUser(
  database: Database,
  { _id: channel_id, company_id, project_id }: WebChannel,
  user_id: string,
): Promise<string | undefined> {
  const person = { company_id, project_id, channel_type: 'web', user_id }
  const contacts = await readRows(database, Contact, { ...person, channel_id }, { ...person, channel_id: null })
  // As for messages: the contact of this very channel takes precedence over the one of the channel type.
  const found = contacts.find((one) => one.channel_id === channel_id) ?? contacts[0]
  return found?.merged_into ?? found?._id
}

/** True when the contact has left an address. */
export async function hasEmail(database: Database, chat_user: string): Promise<boolean> {
  const [contact] = await readRows(database, Contact, { _id: chat_user })
  return typeof contact?.email === 'string'
}

/** The person who answers this contact. */
export async function readAgent(
  database: Database,
  project_id: string,
  chat_user: string,
): Promise<VisitorAgent | null> {
  const user = await findVisitorAgent(database, project_id, chat_user)
  return user ? { name: user.full_name, photo_url: photoPath(user.photo_sha256) } : null
}

/** A visitor's message is `read` once an agent has read the ticket as far as that. `read_id`: the last one read. */
function statusOf({ id, status }: ShownMessage, read_id: string | undefined): string | undefined {
  if (status !== 'received') return status
  return read_id !== undefined && id <= read_id ? 'read' : undefined
}

/** A queued message has no provider's id yet, but will have this one. */
function refFor({ provider_message_id, id }: ShownMessage): string {
  return provider_message_id ?? refOf(id)
}
