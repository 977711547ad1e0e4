import { type AttachedBlock, type Database, readAttached, readPromptVersions } from '../../storage/mod.ts'
import { renderPrompt } from './prompt.ts'
import type { Tried } from './tried.ts'

export type Instructions = {
  text: string
  /** The blocks that have a content, in their order. `version_id`: null where a content is tried. */
  blocks: { block_id: string; version_id: string | null }[]
}

/** A block with a content to try that is none of the assistant. */
export function missingBlock(
  { contents = new Map() }: Tried = {},
  blocks: readonly Pick<Instructions['blocks'][number], 'block_id'>[],
): string | undefined {
  const attached = new Set(blocks.map(({ block_id }) => block_id))
  return [...contents.keys()].find((id) => !attached.has(id))
}

type Where = { project_id: string; assistant_id: string }

/** The instructions of an assistant. An assistant that is not there has none. */
export async function readInstructions(
  database: Database,
  { project_id, assistant_id }: Where,
  tried: Tried = {},
): Promise<Instructions> {
  const { contents = new Map<string, string>(), held } = tried
  const [by_assistant, versions] = await Promise.all([
    readAttached(database, [assistant_id]),
    readPromptVersions(database, project_id, assistant_id, held instanceof Map ? [...held.values()] : []),
  ])
  const attached = by_assistant.get(assistant_id) ?? []
  const versionOf = (block: AttachedBlock) => (contents.has(block._id) ? null : versionTried(block, tried))
  const text = await renderPrompt(
    attached.map((block) => {
      const { _id, name, type } = block
      const content = contents.get(_id)
      const written = content !== undefined && { edit_mode: 'free' as const, content, payload: null }
      return { name, type, version: written || versions.get(versionOf(block) ?? '') }
    }),
  )
  const blocks = attached.flatMap((block) => {
    const version_id = versionOf(block)
    return version_id || contents.has(block._id) ? [{ block_id: block._id, version_id }] : []
  })
  return { text, blocks }
}

function versionTried({ _id, current_version_id, held_version_id }: AttachedBlock, { held }: Tried): string | null {
  const version_id = held === true ? held_version_id : held?.get(_id)
  return version_id ?? current_version_id ?? null
}
