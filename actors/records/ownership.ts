/** Fields of records that belong to one agent, or are shared by all agents of a project. */
import * as v from 'valibot'
import { recordId } from '../schema/mod.ts'

/** Null when the user was deleted. */
export const author = v.nullable(v.object({ id: recordId, full_name: v.string() }))

export const ownership = v.object({ is_shared: v.boolean(), created_by: author })

type Owned = { owner_id?: string | null; created_by?: string | null }

/** `full_name`: name of the author. */
export function ownershipOf({ owner_id, created_by }: Owned, full_name: string | null | undefined) {
  return { is_shared: owner_id == null, created_by: created_by && full_name ? { id: created_by, full_name } : null }
}
