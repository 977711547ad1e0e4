/** Drafts: what agents have written to tickets and not sent. */
import { Draft, type DraftAttachment, type DraftPlace, isEmptyDraft, readDrafts } from '../../../storage/mod.ts'
import { noDraft, toDraftRecord, type WrittenDraft } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command, Feature } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** `draft`: as the turn leaves it. */
type Place = { has_ticket: boolean; draft: Draft | undefined }

const draftKey = ({ ticket_id, user_id, kind }: DraftPlace) => `${ticket_id} ${user_id} ${kind}`

/** Drafts by `draftKey`, with one query for all places of a turn. */
const draftReads: ReadKind<Map<string, DraftPlace>, Map<string, Place>> = {
  keys: () => new Map(),
  found: () => new Map(),
  async read(found, keys, { database, state: { project_id } }) {
    for (const { has_ticket, draft, ...place } of await readDrafts(database, project_id, [...keys.values()])) {
      found.set(draftKey(place), { has_ticket, draft })
    }
  },
}

type DraftText = { content: string; attachments: DraftAttachment[]; context: Record<string, unknown> | null }

const EMPTY: DraftText = { content: '', attachments: [], context: null }

/**
 * Writes a version of a draft, unless this or a later one is stored: requests of several tabs, and of one tab, may
 * arrive in any order. A repeated save finds its own text, and counts as kept.
 *
 * @param version undefined: the one after the stored version
 * @param if_match the versions of which one must be stored, 0 where nothing is; undefined for any
 * @throws {Refusal} NOT_FOUND when the project has no such ticket, PRECONDITION_FAILED
 */
function writeDraft(
  turn: ProjectTurn,
  place: DraftPlace,
  { version, if_match }: { version?: number | undefined; if_match?: string[] | undefined },
  input: DraftText = EMPTY,
): WrittenDraft {
  const found = turn.records.of(draftReads).get(draftKey(place))
  if (!found?.has_ticket) throw refuse('NOT_FOUND')
  const { draft } = found
  const stored = draft?.version ?? 0
  if (if_match?.includes(String(stored)) === false) throw refuse('PRECONDITION_FAILED', { version: stored })
  const text = isEmptyDraft(input) ? EMPTY : input
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

/** `version`: as that of a save; undefined to delete whatever is stored. */
type DeleteDraft = {
  type: 'delete_draft'
  place: DraftPlace
  version?: number | undefined
  /** Accepted stored versions; undefined for any. */
  if_match?: string[] | undefined
}

/**
 * The version stays, so that a save which arrives later does not bring the draft back.
 * @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED
 */
const deleteDraft = {
  reads(reads, { place }) {
    reads.of(draftReads).set(draftKey(place), place)
  },
  run: (turn, { place, ...versions }) => ({ body: writeDraft(turn, place, versions) }),
} satisfies Command<DeleteDraft>

/** `version`: that of the draft which the page knows, plus one. */
type SaveDraft = {
  type: 'save_draft'
  place: DraftPlace
  version: number
  /** Accepted stored versions; undefined for any. */
  if_match?: string[] | undefined
  text: DraftText
}

/** @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED */
const saveDraft = {
  reads(reads, { place }) {
    reads.of(draftReads).set(draftKey(place), place)
  },
  run: (turn, { place, text, ...versions }) => ({ body: writeDraft(turn, place, versions, text) }),
} satisfies Command<SaveDraft>

export const drafts = {
  commands: { save_draft: saveDraft, delete_draft: deleteDraft },
} satisfies Feature
