/** Assistants and their blocks. Every change is told to the assistant service first (`actors/assistants`). */
import type { Feature } from '../turn/feature.ts'
import { changeOf } from './part.ts'
import { parts } from './parts.ts'
import { releaseTestedVersions } from './release_tested.ts'

export const assistants = {
  changes: {
    create_assistant: changeOf('assistant', parts.create_assistant),
    update_assistant: changeOf('assistant', parts.update_assistant, ({ state }, { id, patch }) => {
      if (patch.is_active !== undefined) state.deployments.switch(id, patch.is_active)
    }),
    attach_block: changeOf('assistant', parts.attach_block),
    detach_block: changeOf('assistant', parts.detach_block),
    set_tools: changeOf('assistant', parts.set_tools),
    create_block: changeOf('block', parts.create_block),
    save_block_content: changeOf('block', parts.save_block_content),
    hold_block_content: changeOf('block', parts.hold_block_content),
    release_held_version: changeOf('block', parts.release_held_version),
    discard_held_version: changeOf('block', parts.discard_held_version),
    update_block: changeOf('block', parts.update_block),
  },
  receivers: { release_tested_versions: releaseTestedVersions },
} satisfies Feature
