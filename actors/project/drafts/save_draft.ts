import type { DraftPlace } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { draftKey, draftReads } from './reads.ts'
import { type DraftText, writeDraft } from './write_draft.ts'

/** `version`: that of the draft which the page knows, plus one. */
export type SaveDraft = {
  type: 'save_draft'
  place: DraftPlace
  version: number
  /** Accepted stored versions; undefined for any. */
  if_match?: string[] | undefined
  text: DraftText
}

/** @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED */
export const saveDraft: Command<SaveDraft> = {
  reads(reads, { place }) {
    reads.of(draftReads).set(draftKey(place), place)
  },
  run: (turn, { place, text, ...versions }) => ({ body: writeDraft(turn, place, versions, text) }),
}
