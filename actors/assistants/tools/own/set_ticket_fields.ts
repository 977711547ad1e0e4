import type { CustomField } from '../../../../storage/mod.ts'
import { type BuiltIn, type BuiltInOffer, object } from '../built_in.ts'
import { found, wrong } from '../result.ts'
import type { ToolCommand } from '../tool.ts'
import { endOf, NOTHING_CHANGES } from './command_end.ts'

const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const
const MAX_TEXT = 1_000
const CUSTOM = 'custom_fields.'

type Values = {
  priority?: (typeof PRIORITIES)[number]
  category?: string
  tags?: string[]
  custom_fields?: Record<string, unknown>
}

export const setTicketFieldsTool: BuiltIn = {
  name: 'parley_set_ticket_fields',
  changes: true,
  description:
    'Writes facts about this conversation into its ticket, for the people of the business. Only the fields of this schema can be set. Tags are added to those that are there.',
  isOffered: (offer) => offer.has_ticket && Object.keys(propertiesOf(offer)).length > 0,
  parameters: (offer) => ({ ...object(propertiesOf(offer)), minProperties: 1 }),
  async run({ tags, ...fields }: Values, { askProject, person }, { facts }) {
    if (!askProject || person.ticket_id === null) return wrong('nothing_changes', NOTHING_CHANGES)
    const ids = new Map(facts.tags.map(({ _id, name }) => [name, _id]))
    const add_tag_ids = tags?.map((name) => ids.get(name)!)
    const command: ToolCommand = {
      type: 'update_ticket',
      id: person.ticket_id,
      patch: { ...fields, ...(add_tag_ids && { add_tag_ids }) },
    }
    return endOf(await askProject(command), () => found({ is_set: true }))
  },
}

function propertiesOf({ assistant, facts }: BuiltInOffer): Record<string, unknown> {
  const may = new Set(assistant.settable_ticket_fields)
  const names = [...new Set(facts.tags.map(({ name }) => name))]
  const custom = customOf([...may], facts.fields)
  return {
    ...(may.has('priority') && { priority: { enum: PRIORITIES } }),
    ...(may.has('category') && { category: { type: 'string', minLength: 1, maxLength: 100 } }),
    ...(may.has('tag_ids') && names.length > 0 && { tags: { type: 'array', items: { enum: names }, maxItems: 20 } }),
    ...(Object.keys(custom).length > 0 && { custom_fields: object(custom) }),
  }
}

/** A company without definitions may use any field. */
function customOf(may: readonly string[], defined: BuiltInOffer['facts']['fields']): Record<string, unknown> {
  const keys = may.filter((name) => name.startsWith(CUSTOM)).map((name) => name.slice(CUSTOM.length))
  const known = new Map(defined.map((field) => [field.key, field]))
  const entries = keys.flatMap((key) => {
    const field = known.get(key)
    if (!field && known.size > 0) return []
    return [[key, field ? schemaOf(field) : { type: ['string', 'number', 'boolean'], maxLength: MAX_TEXT }]]
  })
  return Object.fromEntries(entries)
}

function schemaOf({ name, type, options }: Pick<CustomField, 'name' | 'type' | 'options'>): Record<string, unknown> {
  const one = options ? { enum: options } : { type: 'string', maxLength: MAX_TEXT }
  const description = name.slice(0, 200)
  if (type === 'string[]') return { type: 'array', items: one, maxItems: 50, description }
  if (type === 'number' || type === 'boolean') return { type, description }
  const format = type === 'date' ? { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}' } : {}
  return { ...one, ...format, description }
}
