/** Fields of records that belong to one agent, or are shared in the project. */
import * as v from 'valibot'
import { recordId, timestamp } from '../../actors/mod.ts'

/** Null when the user was deleted. */
export const author = v.nullable(v.object({ id: recordId, full_name: v.string() }))

export const ownedFields = { is_shared: v.boolean(), created_by: author, created_at: timestamp, updated_at: timestamp }
