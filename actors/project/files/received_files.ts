/** Files of a message that has just come. */
import { blank, Media, MediaFetch, type Message, objectId, readRows } from '../../../storage/mod.ts'
import type { InboundFile, InboundMessage, Provider } from '../../providers/mod.ts'
import { MAX_RECEIVED } from '../../received_files/mod.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { runSoon } from './fetch_timer.ts'
import { keptUntil } from './kept_until.ts'

type Node = Record<string, unknown>

/** The message that has the files, the contact whose conversation it belongs to, and the message that it edits. */
type From = { message_id: string; chat_user: string; original?: Pick<Message, 'message'> | undefined }

/**
 * Gives each file of the message its `media_id`, here and in the event, and has it fetched. Returns the message that is to be
 * stored; the same one when its provider keeps no files.
 */
export function receiveFiles<Item extends Pick<InboundMessage, 'type' | 'message' | 'value' | 'files'>>(
  turn: ProjectTurn,
  channel: ProjectChannel,
  provider: Provider | undefined,
  item: Item,
  { message_id, chat_user, original }: From,
): Item {
  const { files = [] } = item
  if (files.length === 0 || !provider?.fetchFile) return item
  const { message, value } = structuredClone({ message: item.message, value: item.value })
  const content = item.type === 'edit' ? (message.message as Node) : message
  const [said = {}] = (value.messages ?? []) as Node[]
  if (original && isSameFile(content, original.message)) return { ...item, message, value }
  for (const file of files) {
    const { reference, is_here } = file
    const node = partOf(content, file)
    // The event of an edit shows what is stored.
    const visible = item.type === 'edit' ? undefined : shownIn(said, item.type, file)
    if (!node) continue
    const { project_id } = turn.state
    if (is_here) {
      takeStored(turn, reference.media_id as string, [node, visible])
      continue
    }
    const media_id = objectId()
    const state = isTooLarge(node) ? { media_status: 'failed', media_error: TOO_LARGE } : { media_status: 'pending' }
    for (const one of [node, ...(visible ? [visible] : [])]) Object.assign(one, { media_id, ...state })
    if (state.media_status === 'failed') continue
    const about = { media_id, project_id, channel_id: channel.id, message_id, chat_user, reference }
    const row = blank(MediaFetch, { ...about, attempts: 0, next_at: turn.now, created_at: turn.now })
    turn.insert(MediaFetch, row)
  }
  runSoon(turn)
  return { ...item, message, value }
}

/** True for an edit that leaves the file as it is: it names the one that is here, without facts of its own. */
function isSameFile(edited: Node, former: Node): boolean {
  if (edited.provider_media_id === undefined || edited.provider_media_id !== former.provider_media_id) return false
  for (const field of ['mime_type', 'sha256', 'url']) delete edited[field]
  edited.media_id = former.media_id
  return true
}

/** A file that was stored before its message came. It is kept from now on, if it is of this project and still there. */
function takeStored(turn: ProjectTurn, media_id: string, nodes: (Node | undefined)[]): void {
  const file = turn.records.of(storedReads).get(media_id)
  const state =
    file && file.expires_at > turn.now
      ? { media_id, media_status: 'stored', ...factsOf(file) }
      : { media_status: 'failed', media_error: GONE }
  for (const node of nodes) if (node) Object.assign(node, state)
  if (state.media_status === 'stored') turn.update(Media, { media_id }, { expires_at: keptUntil(turn.now) })
}

function factsOf({ mime_type, file_size, sha256 }: Media) {
  return { mime_type, size: file_size, file_size, sha256 }
}

const GONE = { code: 'file_gone', message: 'The file was not stored with the message.' }

/** Files that were stored before their message came, by `media_id`. */
const storedReads: ReadKind<Set<string>, Map<string, Media>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, media_ids, { database, state: { project_id } }) {
    for (const row of await readRows(database, Media, { media_id: [...media_ids], project_id }))
      found.set(row.media_id, row)
  },
}

/** Adds those of the message to the reads. */
export function wantStored(reads: Reads, { files = [] }: Pick<InboundMessage, 'files'>): void {
  for (const { is_here, reference } of files) if (is_here) reads.of(storedReads).add(reference.media_id as string)
}

const TOO_LARGE = { code: 'too_large', message: 'The file is larger than 100 MiB.' }

function isTooLarge({ file_size, size }: Node): boolean {
  return Number(file_size ?? size) > MAX_RECEIVED
}

/** E-mails have their attachments beside the node of the type. */
function shownIn(said: Node, type: string, file: InboundFile): Node | undefined {
  return partOf(said[type], file) ?? (file.attachment === undefined ? undefined : partOf(said, file))
}

function partOf(content: unknown, { attachment, is_story }: InboundFile): Node | undefined {
  const node = content as Node | undefined
  if (is_story) return node?.story as Node | undefined
  return attachment === undefined ? node : ((node?.attachments ?? []) as Node[])[attachment]
}
