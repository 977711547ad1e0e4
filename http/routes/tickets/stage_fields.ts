/** The stages of a pipeline, with the rules that run when a ticket is moved into one. */
import * as v from 'valibot'
import {
  across,
  dictionary,
  fieldsOf,
  itemsOf,
  named,
  recordId,
  repeated,
  requirableField,
  settableField,
} from '../../../actors/mod.ts'
import type { PipelineStage, StageRules } from '../../../storage/mod.ts'
import { UNIQUE } from '../../server/parse/validation.ts'

const MAX = 100

function distinct<Item extends v.GenericSchema>(item: Item) {
  return v.pipe(
    v.array(item, 'must be a list'),
    v.maxLength(MAX, `must have at most ${MAX} items`),
    across((list, say) => {
      for (const at of repeated(itemsOf(list))) say('is there twice', [at], UNIQUE)
    }),
  )
}

const requirable = v.pipe(
  v.string('must be a string'),
  v.check((name) => requirableField(name) !== undefined, 'is no field of a ticket that a stage can require'),
)

const assignments = v.pipe(
  dictionary(v.unknown()),
  across((values, say) => {
    for (const [name, value] of Object.entries(fieldsOf(values))) {
      const field = settableField(name)
      if (!field) say('is no field of a ticket that a stage can set', [name])
      else if (value !== null && field.value && !field.value.accepts(value)) {
        say(`must be ${field.value.expected}, or null for no value`, [name])
      } else if (field.is_custom && !isPlain(value)) {
        say('must be a text, a number, true, false, a list of texts, or null', [name])
      }
    }
  }),
)

export const stageRules = v.pipe(
  v.strictObject({
    require_fields: v.optional(
      v.pipe(
        distinct(requirable),
        v.description('Fields that must have a value, including the values of the move itself'),
      ),
    ),
    set_fields: v.optional(v.pipe(assignments, v.description('Fields that get these values'))),
    assign_to: v.optional(v.pipe(distinct(recordId), v.description('Users who get tickets in turn'))),
    add_tag_ids: v.optional(distinct(recordId)),
    close_with: v.optional(v.picklist(['won', 'lost'], 'must be won or lost')),
  }),
  v.description('Run in this order: require, set, assign, tag, close'),
)

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string')
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

export const publicStage = named(
  'Stage',
  v.object({
    _id: recordId,
    name: v.string(),
    position: v.number(),
    rules: stageRules,
  }),
)

export function showStage({ _id, name, position, rules }: PipelineStage) {
  const pairs = RULES.flatMap((rule) => (rules[rule] === undefined ? [] : [[rule, rules[rule]] as const]))
  return { _id, name, position, rules: Object.fromEntries(pairs) as StageRules }
}

/** The order in which rules run. */
const RULES = [
  'require_fields',
  'set_fields',
  'assign_to',
  'add_tag_ids',
  'close_with',
] as const satisfies (keyof StageRules)[]
