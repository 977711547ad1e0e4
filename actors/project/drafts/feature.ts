/** Drafts: what agents have written to tickets and not sent. */
import type { Feature } from '../turn/feature.ts'
import { deleteDraft } from './delete_draft.ts'
import { saveDraft } from './save_draft.ts'

export const drafts = {
  commands: { save_draft: saveDraft, delete_draft: deleteDraft },
} satisfies Feature
