import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { BlockType } from '../../values/block_types.ts'

/** A block of instructions in the catalogue of a project. Any number of assistants may use it. */
export const Block = defineEntity({
  name: 'Block',
  tableName: 'block',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    /** Never changes. */
    type: p.text().$type<BlockType>(),
    is_archived: p.boolean(),
    /** Null until the content is saved for the first time. */
    current_version_id: p.text().nullable(),
    /** The version that waits to become the current one. */
    held_version_id: p.text().nullable(),
    /** The test set of which a run that passes releases it. */
    held_test_set_id: p.text().nullable(),
    held_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Block = InferEntity<typeof Block>
