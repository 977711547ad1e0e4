/** Files of a message that has just come. */
import { blank, MediaFetch, objectId } from '../../../storage/mod.ts'
import type { InboundMessage, Provider } from '../../providers/mod.ts'
import { MAX_RECEIVED } from '../../received_files/mod.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { runSoon } from './fetch_timer.ts'

type Node = Record<string, unknown>

/** The message that has the files, and the contact who sent them. */
type From = { message_id: string; chat_user: string }

/**
 * Gives each file of the message its `media_id`, here and in the event, and has it fetched. Returns the message that is to be
 * stored; the same one when its provider keeps no files.
 */
export function receiveFiles(
  turn: ProjectTurn,
  channel: ProjectChannel,
  provider: Provider | undefined,
  item: InboundMessage,
  { message_id, chat_user }: From,
): InboundMessage {
  const { files = [] } = item
  if (files.length === 0 || !provider?.fetchFile) return item
  const { message, value } = structuredClone({ message: item.message, value: item.value })
  const content = item.type === 'edit' ? (message.message as Node) : message
  const [said = {}] = (value.messages ?? []) as Node[]
  for (const { reference, attachment } of files) {
    const node = partOf(content, attachment)
    // The event of an edit shows what is stored.
    const shown =
      item.type === 'edit' ? undefined : partOf(attachment === undefined ? said[item.type] : said, attachment)
    if (!node) continue
    const media_id = objectId()
    const { project_id } = turn.state
    const state = isTooLarge(node) ? { media_status: 'failed', media_error: TOO_LARGE } : { media_status: 'pending' }
    for (const one of [node, ...(shown ? [shown] : [])]) Object.assign(one, { media_id, ...state })
    if (state.media_status === 'failed') continue
    const about = { media_id, project_id, channel_id: channel.id, message_id, chat_user, reference }
    const row = blank(MediaFetch, { ...about, attempts: 0, next_at: turn.now, created_at: turn.now })
    turn.insert(MediaFetch, row)
  }
  runSoon(turn)
  return { ...item, message, value }
}

const TOO_LARGE = { code: 'too_large', message: 'The file is larger than 100 MiB.' }

function isTooLarge({ file_size, size }: Node): boolean {
  return Number(file_size ?? size) > MAX_RECEIVED
}

function partOf(content: unknown, attachment: number | undefined): Node | undefined {
  const node = content as Node | undefined
  return attachment === undefined ? node : ((node?.attachments ?? []) as Node[])[attachment]
}
