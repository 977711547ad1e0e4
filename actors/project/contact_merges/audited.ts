import type { Audited } from '../turn/audit.ts'

/** A merge has an entry when it begins, and one when it is undone. */
export const auditedMerge: Audited<{ type: string; merge_id?: string }> = {
  target: 'contact_merge',
  id: ({ merge_id }) => merge_id ?? '',
}
