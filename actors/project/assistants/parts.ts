import { type AttachBlock, attachBlock } from './attach_block.ts'
import { type CreateAssistant, createAssistant } from './create_assistant.ts'
import { type CreateBlock, createBlock } from './create_block.ts'
import { type DetachBlock, detachBlock } from './detach_block.ts'
import {
  type DiscardHeldVersion,
  discardHeldVersion,
  type HoldBlockContent,
  holdBlockContent,
  type ReleaseHeldVersion,
  releaseHeldVersion,
} from './held_version.ts'
import { type SaveBlockContent, saveBlockContent } from './save_block_content.ts'
import { type SetTools, setTools } from './set_tools.ts'
import { type UpdateAssistant, updateAssistant } from './update_assistant.ts'
import { type UpdateBlock, updateBlock } from './update_block.ts'

/** A change of an assistant or a block. */
export type AssistantChange =
  | CreateAssistant
  | UpdateAssistant
  | AttachBlock
  | DetachBlock
  | SetTools
  | CreateBlock
  | SaveBlockContent
  | HoldBlockContent
  | ReleaseHeldVersion
  | DiscardHeldVersion
  | UpdateBlock

/** Every kind of change, by its type. */
export const parts = {
  create_assistant: createAssistant,
  update_assistant: updateAssistant,
  attach_block: attachBlock,
  detach_block: detachBlock,
  set_tools: setTools,
  create_block: createBlock,
  save_block_content: saveBlockContent,
  hold_block_content: holdBlockContent,
  release_held_version: releaseHeldVersion,
  discard_held_version: discardHeldVersion,
  update_block: updateBlock,
}
