import { type Draft, type DraftPlace, readDrafts } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'

/** `draft`: as the turn leaves it. */
type Place = { has_ticket: boolean; draft: Draft | undefined }

export const draftKey = ({ ticket_id, user_id, kind }: DraftPlace) => `${ticket_id} ${user_id} ${kind}`

/** Drafts by `draftKey`, with one query for all places of a turn. */
export const draftReads: ReadKind<Map<string, DraftPlace>, Map<string, Place>> = {
  wanted: () => new Map(),
  found: () => new Map(),
  async read(found, wanted, { database, state: { project_id } }) {
    for (const { has_ticket, draft, ...place } of await readDrafts(database, project_id, [...wanted.values()])) {
      found.set(draftKey(place), { has_ticket, draft })
    }
  },
}
