import {
  Draft,
  type DraftAttachment,
  type DraftPlace,
  type DraftRecord,
  isEmptyDraft,
  noDraft,
  toDraftRecord,
} from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { draftKey, draftReads } from './reads.ts'

export type DraftText = { content: string; attachments: DraftAttachment[]; context: Record<string, unknown> | null }

const EMPTY: DraftText = { content: '', attachments: [], context: null }

/** The draft after a save, and false when the save came too late. */
export type WrittenDraft = DraftRecord & { is_saved: boolean }

/**
 * Writes a version of a draft, unless this or a later one is stored: requests of several tabs, and of one tab, may
 * arrive in any order. A repeated save finds its own text, and counts as kept.
 *
 * @param version undefined: the one after the stored version
 * @param if_match the versions of which one must be stored, 0 where nothing is; undefined for any
 * @throws {Refusal} NOT_FOUND when the project has no such ticket, PRECONDITION_FAILED
 */
export function writeDraft(
  turn: ProjectTurn,
  place: DraftPlace,
  { version, if_match }: { version?: number | undefined; if_match?: string[] | undefined },
  given: DraftText = EMPTY,
): WrittenDraft {
  const found = turn.records.of(draftReads).get(draftKey(place))
  if (!found?.has_ticket) throw refuse('NOT_FOUND')
  const { draft } = found
  const stored = draft?.version ?? 0
  if (if_match?.includes(String(stored)) === false) throw refuse('PRECONDITION_FAILED', { version: stored })
  const text = isEmptyDraft(given) ? EMPTY : given
  if (!draft && version === undefined) return { ...noDraft(place), is_saved: true }
  const next = version ?? stored + 1
  if (draft && next <= draft.version) return { ...toDraftRecord(draft), is_saved: isSame(draft, text) }
  const { ticket_id, user_id, kind } = place
  const { project_id } = turn.state
  const row: Draft = { ticket_id, user_id, kind, project_id, version: next, ...text, updated_at: turn.now }
  turn.upsert(Draft, row)
  found.draft = row
  const record = toDraftRecord(row)
  turn.live(project_id, () => {
    if (!isEmptyDraft(row)) return { type: 'draft.saved', user_id, data: record }
    return { type: 'draft.deleted', user_id, data: { ticket_id, kind, version: next } }
  })
  return { ...record, is_saved: true }
}

function isSame({ content, attachments, context = null }: Draft, text: DraftText): boolean {
  const parts = [content, attachments, context]
  return JSON.stringify(parts) === JSON.stringify([text.content, text.attachments, text.context])
}
