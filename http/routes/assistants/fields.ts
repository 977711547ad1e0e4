/** Schemas of assistants and blocks, which the API and the operator API share. */
import * as v from 'valibot'
import {
  across,
  composedText,
  dictionary,
  fieldsOf,
  hasAtMost,
  isUrl,
  maxCharacters,
  minCharacters,
  named,
  readPayload,
  recordId,
  renderContent,
  timestamp,
} from '../../../actors/mod.ts'
import { blockFamilies, blockTypeNames, objectId } from '../../../storage/mod.ts'
import { flagQuery, limit, offset, search } from '../../server/schema/fields.ts'

const MAX_NAME_LENGTH = 150
const MAX_CONTENT_LENGTH = 100_000
const MAX_KNOWLEDGE_NODES = 200
const MAX_ORDER = 1_000
/** Bytes: a character may be written as twelve, and all further fields are small. */
export const CONTENT_BODY_LIMIT = 2 * 1024 * 1024

export const name = v.pipe(
  v.string(),
  composedText(),
  maxCharacters(MAX_NAME_LENGTH),
  v.check((text) => text.trim() !== '', 'must not be empty'),
)

const https = v.pipe(
  v.string(),
  maxCharacters(2048),
  v.check(
    (url) => /^https:\/\/[^\s/]\S*$/i.test(url) && isUrl(url),
    'must be an https:// address, such as https://example.com/ana.png',
  ),
)

const assistantFields = {
  description: v.pipe(v.string(), maxCharacters(500)),
  avatar_url: https,
  avatar_emoji: v.pipe(v.string(), minCharacters(1), maxCharacters(16)),
  // Any text that names no model is an unsupported one.
  model: v.string(),
  knowledge_node_ids: v.pipe(
    v.array(recordId),
    v.maxLength(MAX_KNOWLEDGE_NODES),
    v.transform((ids) => [...new Set(ids)]),
    v.description('Knowledge that the assistant uses, in this order; each node counts once'),
  ),
}
const { description, avatar_url, avatar_emoji, model, knowledge_node_ids } = assistantFields

/** The body that creates an assistant. */
export const newAssistant = {
  name,
  description: v.optional(v.nullable(description)),
  avatar_url: v.optional(v.nullable(avatar_url)),
  avatar_emoji: v.optional(v.nullable(avatar_emoji)),
  model: v.optional(v.pipe(model, v.description('One of the models that the operator offers. Default: the first'))),
  knowledge_node_ids: v.optional(knowledge_node_ids),
}

/** The body that changes an assistant. */
export const assistantPatch = v.strictObject({
  name: v.optional(name),
  description: v.optional(v.nullable(description)),
  avatar_url: v.optional(v.nullable(avatar_url)),
  avatar_emoji: v.optional(v.nullable(avatar_emoji)),
  model: v.optional(model),
  knowledge_node_ids: v.optional(knowledge_node_ids),
  is_active: v.optional(v.boolean()),
})

export type NewAssistant = {
  name: string
  description?: string | null
  avatar_url?: string | null
  avatar_emoji?: string | null
  model?: string
  knowledge_node_ids?: string[]
}

/** The change that creates an assistant. `models`: the first is the default. */
export function creationOf(
  { name, description, avatar_url, avatar_emoji, model, knowledge_node_ids }: NewAssistant,
  models: readonly string[],
) {
  return {
    type: 'create_assistant' as const,
    id: objectId(),
    block_ids: [objectId(), objectId()] as [string, string],
    name,
    description: description ?? null,
    avatar_url: avatar_url ?? null,
    avatar_emoji: avatar_emoji ?? null,
    model: model ?? models[0]!,
    knowledge_node_ids: knowledge_node_ids ?? [],
  }
}

export const assistantFilter = {
  search,
  is_active: v.optional(flagQuery),
  model: v.optional(v.pipe(model, minCharacters(1), maxCharacters(100))),
}

export const blockType = v.picklist(blockTypeNames)

export const blockFilter = {
  type: v.optional(blockType),
  family: v.optional(v.picklist(blockFamilies)),
  include_archived: v.optional(flagQuery),
}

export const window = { limit, offset }

const blockEntries = {
  _id: recordId,
  name: v.string(),
  type: blockType,
  family: v.picklist(blockFamilies),
  content_writable: v.pipe(v.boolean(), v.description('False for types whose content only operators write')),
  is_archived: v.boolean(),
  current_version_id: v.pipe(v.nullable(recordId), v.description('Null until the content is saved')),
  created_at: timestamp,
  updated_at: timestamp,
}

export const block = named('Block', v.object(blockEntries))
export const attachedBlock = named('AttachedBlock', v.object({ ...blockEntries, order: v.number() }))

export const assistantEntries = {
  _id: recordId,
  name: v.string(),
  description: v.nullable(v.string()),
  avatar_url: v.nullable(v.string()),
  avatar_emoji: v.nullable(v.string()),
  model: v.string(),
  knowledge_node_ids: v.array(recordId),
  tools: v.array(recordId),
  is_active: v.boolean(),
  blocks: v.array(attachedBlock),
  created_at: timestamp,
  updated_at: timestamp,
}

const versionEntries = {
  _id: recordId,
  block_id: recordId,
  edit_mode: v.picklist(['free', 'assisted']),
  created_at: timestamp,
}

/** A version in a list. */
export const versionSummary = named('BlockVersionSummary', v.object(versionEntries))
export const version = named(
  'BlockVersion',
  v.object({
    ...versionEntries,
    content: v.optional(v.pipe(v.string(), v.description('The text, when edit_mode is free'))),
    payload: v.optional(
      v.pipe(v.record(v.string(), v.unknown()), v.description('The items, when edit_mode is assisted')),
    ),
  }),
)

export const prompt = v.object({ assistant_id: recordId, prompt: v.string() })

export const attachment = v.strictObject({
  block_id: recordId,
  order: v.optional(
    v.pipe(
      v.number(),
      v.integer('must be a whole number'),
      v.minValue(0),
      v.maxValue(MAX_ORDER),
      v.description('Place in the prompt. Default: the end'),
    ),
  ),
})

export const content = v.pipe(v.string(), maxCharacters(MAX_CONTENT_LENGTH))

const payload = v.pipe(
  dictionary(v.unknown()),
  across((value, say) => {
    const { items, faults } = readPayload(value)
    for (const { path, message } of faults) say(message, path)
    if (faults.length === 0 && !hasAtMost(renderContent(items), MAX_CONTENT_LENGTH)) {
      say(`must have at most ${MAX_CONTENT_LENGTH} characters as text`)
    }
  }),
)

/** The fields of a content: `content`, or `payload` with `edit_mode` assisted. */
export const contentEntries = {
  edit_mode: v.optional(v.pipe(v.picklist(['free', 'assisted']), v.description('Default free'))),
  content: v.optional(content),
  payload: v.optional(payload),
}

/** Refuses contents that do not fit their mode. `needed`: one of the two has to be there. */
export function fitsMode<Input>({ needed }: { needed: boolean }) {
  return across<Input>((value, say) => {
    const { edit_mode = 'free', content, payload } = fieldsOf(value)
    const [own, other] = edit_mode === 'assisted' ? ['payload', 'content'] : ['content', 'payload']
    const values: Record<string, unknown> = { content, payload }
    if (values[other!] !== undefined) say(`does not go with edit_mode ${edit_mode}; remove it`, [other!])
    if (values[own!] === undefined && (needed || edit_mode === 'assisted'))
      say(`is required with edit_mode ${edit_mode}`, [own!])
  })
}

export type GivenContent = { edit_mode?: 'free' | 'assisted'; content?: string; payload?: Record<string, unknown> }

/** The version to save; without content an empty one. */
export function versionFrom({ edit_mode = 'free', content = '', payload }: GivenContent) {
  const id = objectId()
  if (edit_mode === 'free') return { id, edit_mode, content }
  return { id, edit_mode, payload: { items: readPayload(payload).items } }
}
