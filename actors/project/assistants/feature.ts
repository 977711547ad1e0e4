/** Assistants and their blocks. Every change is told to the assistant service first (`actors/assistants`). */
import type { Feature } from '../turn/feature.ts'
import { changeOf } from './part.ts'
import { parts } from './parts.ts'

export const assistants = {
  changes: {
    create_assistant: changeOf(parts.create_assistant),
    update_assistant: changeOf(parts.update_assistant),
    attach_block: changeOf(parts.attach_block),
    detach_block: changeOf(parts.detach_block),
    set_tools: changeOf(parts.set_tools),
    create_block: changeOf(parts.create_block),
    save_block_content: changeOf(parts.save_block_content),
    update_block: changeOf(parts.update_block),
  },
} satisfies Feature
