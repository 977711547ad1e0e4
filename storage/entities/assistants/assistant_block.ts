import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { BlockType } from '../../values/block_types.ts'

/** A block that an assistant uses. */
export const AssistantBlock = defineEntity({
  name: 'AssistantBlock',
  tableName: 'assistant_block',
  properties: {
    assistant_id: p.text().primary(),
    block_id: p.text().primary(),
    project_id: p.text(),
    /** The type of the block, for the unique index on types of the family `identity`. */
    type: p.text().$type<BlockType>(),
    /** Place in the prompt. Blocks of the same place follow each other by their ids. */
    order: p.integer(),
    created_at: p.datetime(3),
  },
})

export type AssistantBlock = InferEntity<typeof AssistantBlock>
