/** The settings of an assistant while they are filled in, and the body that changes them. No DOM. */

import type { Assistant } from '../../records/assistant.ts'

const LIMITS = ['conversation_tokens', 'day_tokens', 'conversation_cost', 'day_cost'] as const
export type Limit = (typeof LIMITS)[number]

/** Amounts are texts of fields; nothing is no limit. */
export type SettingsDraft = {
  name: string
  description: string
  avatar_url: string
  avatar_emoji: string
  model: string
  budget: Record<Limit, string>
  hand_over: { assigned_to: string; stage_id: string; tag_ids: string[] }
  settable_ticket_fields: string[]
}

export function draftOf({ budget, hand_over, ...fields }: Assistant): SettingsDraft {
  const limit = (name: Limit) => (budget?.[name] === undefined ? '' : String(budget[name]))
  return {
    name: fields.name,
    description: fields.description ?? '',
    avatar_url: fields.avatar_url ?? '',
    avatar_emoji: fields.avatar_emoji ?? '',
    model: fields.model,
    budget: {
      conversation_tokens: limit('conversation_tokens'),
      day_tokens: limit('day_tokens'),
      conversation_cost: limit('conversation_cost'),
      day_cost: limit('day_cost'),
    },
    hand_over: {
      assigned_to: hand_over?.assigned_to ?? '',
      stage_id: hand_over?.stage_id ?? '',
      tag_ids: hand_over?.tag_ids ?? [],
    },
    settable_ticket_fields: fields.settable_ticket_fields,
  }
}

/** The draft as a body. Texts that are no numbers are sent as they are, and refused with the reason. */
function fieldsOf({ name, description, avatar_url, avatar_emoji, model, ...draft }: SettingsDraft) {
  const limits = LIMITS.flatMap((limit) => {
    const text = draft.budget[limit].trim().replaceAll(/[\s_]/g, '')
    return text === '' ? [] : [[limit, Number.isNaN(Number(text)) ? text : Number(text)] as const]
  })
  const { assigned_to, stage_id, tag_ids } = draft.hand_over
  const targets = {
    ...(assigned_to && { assigned_to }),
    ...(stage_id && { stage_id }),
    ...(tag_ids.length > 0 && { tag_ids }),
  }
  return {
    name: name.trim(),
    description: description.trim() || null,
    avatar_url: avatar_url.trim() || null,
    avatar_emoji: avatar_emoji.trim() || null,
    model,
    budget: limits.length === 0 ? null : Object.fromEntries(limits),
    hand_over: Object.keys(targets).length === 0 ? null : targets,
    settable_ticket_fields: draft.settable_ticket_fields,
  }
}

type Fields = Record<string, unknown>

/** The fields that differ, so that a colleague's change of another one stays. */
export function changesOf(before: SettingsDraft, after: SettingsDraft): Fields {
  const old: Fields = fieldsOf(before)
  return Object.fromEntries(Object.entries(fieldsOf(after)).filter(([name, value]) => !isSame(value, old[name])))
}

/** The fields of a change that somebody else has changed meanwhile to something else. */
export function contestedFields(before: SettingsDraft, changes: Fields, now: Assistant): string[] {
  const [old, present]: Fields[] = [fieldsOf(before), fieldsOf(draftOf(now))]
  return Object.keys(changes).filter(
    (name) => !isSame(old![name], present![name]) && !isSame(present![name], changes[name]),
  )
}

function isSame(one: unknown, other: unknown) {
  return JSON.stringify(one) === JSON.stringify(other)
}

export const FIELD_WORDS: Partial<Record<string, string>> = {
  name: 'the name',
  description: 'the description',
  avatar_url: 'the picture',
  avatar_emoji: 'the emoji',
  model: 'the model',
  budget: 'the budget',
  hand_over: 'what changes at a hand-over',
  settable_ticket_fields: 'the fields that it may set',
}
