/** Schemas of assistants and blocks, which the API and the operator API share. */
import * as v from 'valibot'
import {
  across,
  assistantModel,
  type assistantPatch,
  blockType,
  dictionary,
  fieldsOf,
  hasAtMost,
  maxCharacters,
  minCharacters,
  type newAssistant,
  readPayload,
  recordId,
  renderContent,
  storedBudget,
} from '../../../actors/mod.ts'
import { type AssistantBudget, blockFamilies, objectId } from '../../../storage/mod.ts'
import { flagQuery, limit, offset, search } from '../../server/schema/fields.ts'

const MAX_CONTENT_LENGTH = 100_000
const MAX_ORDER = 1_000
/** Bytes: a character may be written as twelve, and all further fields are small. */
export const CONTENT_BODY_LIMIT = 2 * 1024 * 1024

/** The change that creates an assistant. `models`: the first is the default. */
export function creationOf(
  {
    name,
    description,
    avatar_url,
    avatar_emoji,
    model,
    hand_over,
    budget,
    ...lists
  }: v.InferOutput<typeof newAssistant>,
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
    knowledge_node_ids: lists.knowledge_node_ids ?? [],
    settable_ticket_fields: lists.settable_ticket_fields ?? [],
    ...storedFields({ hand_over, budget }),
  }
}

/** Errors of the ids in a hand-over. */
export const targets = ['ASSIGNEE_NOT_FOUND', 'STAGE_NOT_FOUND', 'TAG_NOT_FOUND'] as const

type Settings = Pick<v.InferOutput<typeof assistantPatch>, 'hand_over' | 'budget'>

/** The body as it is stored. */
export function storedFields<Fields extends Settings>({ hand_over, budget, ...fields }: Fields) {
  return {
    ...fields,
    ...(hand_over !== undefined && { hand_over: hand_over && defined(hand_over) }),
    ...(budget !== undefined && { budget: budget && storedBudget<AssistantBudget>(budget) }),
  }
}

/** A field without a value is none. */
function defined<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>
  }
}

export const assistantFilter = {
  search,
  is_active: v.optional(flagQuery),
  model: v.optional(v.pipe(assistantModel, minCharacters(1), maxCharacters(100))),
}

export const blockFilter = {
  type: v.optional(blockType),
  family: v.optional(v.picklist(blockFamilies)),
  include_archived: v.optional(flagQuery),
}

export const window = { limit, offset }

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

/** The fields of a content that is saved. */
const savedEntries = {
  ...contentEntries,
  hold: v.optional(v.pipe(v.boolean(), v.description('True: the version is not the current one until it is released'))),
  test_set_id: v.optional(
    v.pipe(recordId, v.description('With hold: a run of this test set that passes releases the version')),
  ),
}

/** The body that saves a content. */
export const savedContent = v.pipe(
  v.strictObject(savedEntries),
  fitsMode({ needed: true }),
  across((value, say) => {
    const { hold, test_set_id } = fieldsOf(value)
    if (test_set_id !== undefined && hold !== true) say('goes with hold alone; remove it', ['test_set_id'])
  }),
)

/** The change that saves a content. */
export function saveOf(id: string, { hold, test_set_id, ...content }: v.InferOutput<typeof savedContent>) {
  const version = versionFrom(content)
  if (hold) return { type: 'hold_block_content' as const, id, version, test_set_id: test_set_id ?? null }
  return { type: 'save_block_content' as const, id, version }
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

export type ContentInput = { edit_mode?: 'free' | 'assisted'; content?: string; payload?: Record<string, unknown> }

/** The version to save; without content an empty one. */
export function versionFrom({ edit_mode = 'free', content = '', payload }: ContentInput) {
  const id = objectId()
  if (edit_mode === 'free') return { id, edit_mode, content }
  return { id, edit_mode, payload: { items: readPayload(payload).items } }
}
