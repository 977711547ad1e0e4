/** The assistant as the API shows it, and the bodies that create and change it. */
import * as v from 'valibot'
import type { AssistantView } from '../../../storage/mod.ts'
import { isUrl } from '../../outbound/mod.ts'
import {
  composedText,
  type InMemory,
  maxCharacters,
  minCharacters,
  named,
  recordId,
  timestamp,
  valuesOf,
} from '../../schema/mod.ts'
import { attachedBlock, toAttachedBlockRecord } from './block.ts'
import { assistantBudget, assistantBudgetRecord, shownBudget } from './budget.ts'

const MAX_NAME_LENGTH = 150
const MAX_KNOWLEDGE_NODES = 200
const MAX_SETTABLE_FIELDS = 50
const MAX_HAND_OVER_TAGS = 20

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  name: v.string(),
  description: v.nullable(v.string()),
  avatar_url: v.nullable(v.string()),
  avatar_emoji: v.nullable(v.string()),
  model: v.string(),
  knowledge_node_ids: v.array(recordId),
  settable_ticket_fields: v.array(v.string()),
  is_active: v.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
})

const hand_over_record = v.object({
  assigned_to: v.optional(recordId),
  stage_id: v.optional(recordId),
  tag_ids: v.optional(v.array(recordId)),
})

export const assistantRecord = named(
  'Assistant',
  v.object({
    ...columns.entries,
    hand_over: v.pipe(
      v.nullable(hand_over_record),
      v.description('Changes of a ticket that the assistant hands over to people; null: none'),
    ),
    budget: v.pipe(
      v.nullable(assistantBudgetRecord),
      v.description('The most that it may spend in a conversation and in a day (UTC); null: no bound'),
    ),
    tools: v.array(recordId),
    blocks: v.array(attachedBlock),
  }),
)

export type AssistantRecord = InMemory<v.InferOutput<typeof assistantRecord>>

export function toAssistantRecord({ assistant, blocks, tools }: AssistantView): AssistantRecord {
  const { hand_over = null, budget } = assistant
  return {
    ...valuesOf(columns, assistant),
    ...{ hand_over, budget: shownBudget(budget), tools },
    blocks: blocks.map(toAttachedBlockRecord),
  }
}

/** The name of an assistant, and of a block. */
export const assistantName = v.pipe(
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

// Any text that names no model is an unsupported one.
export const assistantModel = v.string()

// A key of a custom field has the form of FIELD_KEY in definitions/targets.ts.
const settableField = v.pipe(
  v.string(),
  v.check(
    (name) => /^(?:priority|category|tag_ids|custom_fields\.[A-Za-z][A-Za-z0-9_-]{0,99})$/.test(name),
    'must be priority, category, tag_ids, or custom_fields. with the key of a custom field of tickets',
  ),
)

const hand_over = v.strictObject({
  assigned_to: v.optional(v.pipe(recordId, v.description('Gets a ticket that nobody has'))),
  stage_id: v.optional(recordId),
  tag_ids: v.optional(
    v.pipe(
      v.array(recordId),
      v.maxLength(MAX_HAND_OVER_TAGS),
      v.transform((ids) => [...new Set(ids)]),
    ),
  ),
})

const optional = {
  description: v.optional(v.nullable(v.pipe(v.string(), maxCharacters(500)))),
  avatar_url: v.optional(v.nullable(https)),
  avatar_emoji: v.optional(v.nullable(v.pipe(v.string(), minCharacters(1), maxCharacters(16)))),
  knowledge_node_ids: v.optional(
    v.pipe(
      v.array(recordId),
      v.maxLength(MAX_KNOWLEDGE_NODES),
      v.transform((ids) => [...new Set(ids)]),
      v.description('Knowledge that the assistant uses, in this order; each node counts once'),
    ),
  ),
  settable_ticket_fields: v.optional(
    v.pipe(
      v.array(settableField),
      v.maxLength(MAX_SETTABLE_FIELDS),
      v.transform((names) => [...new Set(names)]),
      v.description('Fields of its tickets that the assistant may set by itself. Default: none'),
    ),
  ),
  hand_over: v.optional(
    v.pipe(
      v.nullable(hand_over),
      v.description('Changes of a ticket that the assistant hands over to people, replaced as a whole'),
    ),
  ),
  budget: v.optional(
    v.pipe(
      v.nullable(assistantBudget),
      v.description('The most that it may spend in a conversation and in a day (UTC), replaced as a whole'),
    ),
  ),
}

/** The body that creates an assistant. */
export const newAssistant = v.strictObject({
  name: assistantName,
  ...optional,
  model: v.optional(
    v.pipe(assistantModel, v.description('One of the models that the operator offers. Default: the first')),
  ),
})

/** The body that changes an assistant. */
export const assistantPatch = v.strictObject({
  name: v.optional(assistantName),
  ...optional,
  model: v.optional(assistantModel),
  is_active: v.optional(v.boolean()),
})
