/** Batches over the records of the subject, kind by kind. */
import { deleteBatch, type RecordKind } from '../record_kind.ts'
import { recordKinds } from '../records/list.ts'
import type { Subject } from '../subject.ts'
import type { BatchContext, Progress } from './transaction.ts'

/** Records that refer to others go first. */
const backwards = recordKinds.toReversed()

function conditionOf({ person, project }: RecordKind, subject: Subject): string | undefined {
  return (subject.kind === 'project' ? project : person)?.(subject)
}

/** Erases one batch of the first kind that has records left. The cursor is the index of the kind. */
export function eraseRows(context: BatchContext): Promise<Progress> {
  return context.transaction(async (em) => {
    for (let at = Number(context.cursor || 0); at < backwards.length; at++) {
      const kind = backwards[at]!
      const where = kind.erase === false ? undefined : conditionOf(kind, context.subject)
      if (where === undefined) continue
      const count = kind.erase ? await kind.erase(em, where, context) : await deleteBatch(em, kind.table, where)
      if (count > 0) return { cursor: String(at), counts: { [kind.type]: count } }
    }
    return { cursor: null }
  })
}
