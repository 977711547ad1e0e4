/** The end of an attempt at a file: it is stored, given up, or tried again later. */
import { Media, MediaFetch, type Message } from '../../../storage/mod.ts'
import type { FetchError, FetchOutcome, StoredFile } from '../../received_files/mod.ts'
import { keptUntil } from '../files/kept_until.ts'
import { emit, messageEvent, productOf } from '../turn/events.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeFile, type FileFacts } from './change_file.ts'
import { fetchReads } from './fetch_reads.ts'
import { pausedFetches } from './running.ts'

/** The pause after the first attempt in milliseconds; each is four times as long as the one before: two hours in all. */
const PAUSE_MS = 5_000
const GROWTH = 4
const MAX_PAUSE_MS = 3_600_000

/** Ends the fetch of a file that is stored. Without a message that has it, the file is removed again. */
export function keepStored(turn: ProjectTurn, row: MediaFetch, file: StoredFile): void {
  const { filename, ...facts } = file
  const stored = { media_status: 'stored', media_error: undefined, ...facts, ...(filename && { filename }) } as const
  const is_named = changeMessages(turn, row, stored)
  turn.update(Media, { media_id: row.media_id }, { expires_at: is_named ? keptUntil(turn.now) : turn.now })
  forget(turn, row)
}

/** Ends an attempt that stored nothing. */
export function endFetch(turn: ProjectTurn, row: MediaFetch, outcome: Exclude<FetchOutcome, { kind: 'stored' }>): void {
  const { media_id } = row
  const { error } = outcome
  if (outcome.kind === 'failed') {
    giveUp(turn, row, error)
    return
  }
  const pause_ms = Math.min(PAUSE_MS * GROWTH ** (row.attempts - 1), MAX_PAUSE_MS)
  const asked_ms = Math.min((outcome.retry_after_s ?? 0) * 1000, MAX_PAUSE_MS)
  // The provider means the account, not the file.
  if (asked_ms > 0) pausedFetches.of(turn.state).set(row.channel_id, turn.now.getTime() + asked_ms)
  const patch = { next_at: new Date(turn.now.getTime() + Math.max(pause_ms, asked_ms)), error: error.code }
  Object.assign(row, patch)
  turn.update(MediaFetch, { media_id }, patch)
}

/** The message has the reason from now on; the row stays for `fetch_media`. */
function giveUp(turn: ProjectTurn, row: MediaFetch, { code, message }: FetchError): void {
  if (!changeMessages(turn, row, { media_status: 'failed', media_error: { code, message } })) {
    forget(turn, row)
    return
  }
  const patch = { failed_at: turn.now, error: code }
  Object.assign(row, patch)
  turn.update(MediaFetch, { media_id: row.media_id }, patch)
}

function forget(turn: ProjectTurn, { media_id }: MediaFetch): void {
  turn.remove(MediaFetch, { media_id })
  turn.records.of(fetchReads).fetches.delete(media_id)
}

/** Returns false when no message has the file any more: it was withdrawn, edited or erased. */
function changeMessages(turn: ProjectTurn, { media_id, reference }: MediaFetch, facts: FileFacts): boolean {
  const rows = turn.records.of(fetchReads).messages.get(media_id) ?? []
  const changed = rows.filter((row) => changeFile(turn, row, media_id, facts))
  // The event names the message that shows the file: of an edit the edited one.
  const latest = changed.at(-1)
  // Files of an import without webhooks are no news, as their messages are not.
  if (latest && reference.is_silent !== true) tellOf(turn, latest, media_id, facts)
  return changed.length > 0
}

function tellOf(turn: ProjectTurn, row: Message, media_id: string, facts: FileFacts): void {
  const { media_status, media_error = null, mime_type = null, file_size = null, sha256 = null, filename = null } = facts
  const data = {
    messaging_product: productOf(row.channel),
    metadata: {},
    channel_id: row.channel_id,
    chat_user: row.chat_user,
    message_id: row.id,
    media: { media_id, media_status, media_error, mime_type, file_size, sha256, filename },
  }
  emit(turn, messageEvent(row.channel, 'media'), data, row.chat_user ?? null)
}
