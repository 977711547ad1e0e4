import type { DraftPlace } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { draftKey, draftReads } from './reads.ts'
import { writeDraft } from './write_draft.ts'

/** `version`: as that of a save; undefined to delete whatever is stored. */
export type DeleteDraft = {
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
export const deleteDraft: Command<DeleteDraft> = {
  reads(reads, { place }) {
    reads.of(draftReads).set(draftKey(place), place)
  },
  run: (turn, { place, ...versions }) => ({ body: writeDraft(turn, place, versions) }),
}
