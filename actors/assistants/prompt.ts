import { setImmediate } from 'node:timers/promises'
import { type BlockType, type BlockVersion, blockTypes } from '../../storage/mod.ts'
import { type ContentItem, parseContent, renderContent } from './content.ts'

/** The heading of a block in the prompt, by its type. */
const titles = {
  personification: 'Personality',
  objective: 'Objective',
  response_format: 'Response format',
  steps: 'Steps',
  cases_possible: 'Possible cases',
  do_not: 'What not to do',
  response_policy: 'Response policy',
  product_info: 'Products',
  store_info: 'Store',
  reservation_info: 'Reservations',
  tables_info: 'Tables',
  tags: 'Tags',
} as const satisfies Record<BlockType, string>

/** A block in its place; `version` is its content, if it has one. */
type PromptBlock = { name: string; type: BlockType; version: PromptContent | undefined }

type PromptContent = Pick<BlockVersion, 'edit_mode' | 'content' | 'payload'>

/**
 * The instructions of an assistant as one text: a section for each block that has content, in their order. The names of
 * blocks distinguish several blocks of a type. Other requests are served between the blocks: a large one takes up to 30 ms.
 */
export async function renderPrompt(blocks: readonly PromptBlock[]): Promise<string> {
  const sections: string[] = []
  for (const block of blocks) {
    sections.push(...sectionOf(block))
    await setImmediate()
  }
  return sections.join('\n\n')
}

function sectionOf({ name, type, version }: PromptBlock): string[] {
  const text = version ? renderContent(itemsOf(version), { below: 1 }) : ''
  if (text === '') return []
  const title = blockTypes[type].family === 'identity' ? titles[type] : `${titles[type]}: ${name.replace(/\s+/g, ' ')}`
  return [`# ${title}\n\n${text}`]
}

function itemsOf({ edit_mode, content, payload }: PromptContent): ContentItem[] {
  if (edit_mode === 'free') return parseContent(content ?? '')
  return (payload as { items?: ContentItem[] } | null)?.items ?? []
}
