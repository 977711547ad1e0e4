/** The words of the panel. No DOM. */

import type { Definitions } from '../../records/definitions.ts'
import type { AnyRecord } from '../../records/record.ts'
import { number } from '../../ui/format/format.ts'

export const PRIORITIES = [
  { value: 'urgent', text: 'Urgent' },
  { value: 'high', text: 'High' },
  { value: 'medium', text: 'Medium' },
  { value: 'low', text: 'Low' },
] as const

/** The texts of a stage, with the names of the API. */
export const STAGE_TEXTS = [
  { name: 'prioridad', text: 'Priority of the case' },
  { name: 'contexto', text: 'Context' },
  { name: 'problema', text: 'Problem' },
  { name: 'recomendaciones', text: 'Recommendations' },
]

/** The parts of a summary. */
export const SUMMARY = [
  { name: 'motivo', text: 'Reason' },
  { name: 'estado', text: 'State' },
  { name: 'proximos_pasos', text: 'Next steps' },
]

const FIELDS: Partial<Record<string, string>> = {
  priority: 'Priority',
  category: 'Category',
  amount: 'Amount',
  amount_currency: 'Currency',
  amount_status: 'Status of the amount',
  assigned_to: 'Assignee',
  resolution: 'Resolution',
  tag_ids: 'Tags',
  conversation_summary: 'Summary',
  ...Object.fromEntries([...STAGE_TEXTS, ...SUMMARY].map(({ name, text }) => [name, text])),
}

/** The name of a field of tickets, as a rule of a stage gives it. */
export function fieldName(field: string, definitions: Definitions | undefined) {
  const custom = definitions?.custom_fields.find(({ owner, key }) => owner === 'ticket' && key === field)
  return custom?.name ?? FIELDS[field] ?? field
}

/** A value as people read it. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'number') return number(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(valueText).join(', ')
  if (typeof value !== 'object') return String(value)
  const { full_name, name } = value as AnyRecord
  if (full_name ?? name) return full_name ?? name
  const entries = Object.entries(value).filter(([, one]) => one !== null && one !== '')
  return entries.length === 0 ? 'nothing' : entries.map(([, one]) => valueText(one)).join(', ')
}

export type StageOption = ReturnType<typeof stageOptions>[number]

/** The stages of all pipelines, for a choice. A pipeline is named when there are several. */
export function stageOptions(definitions: Definitions | undefined) {
  const pipelines = definitions?.pipelines ?? []
  return pipelines.flatMap(({ name, stages }) =>
    stages.map((stage) => ({
      value: stage._id,
      text: pipelines.length > 1 ? `${name}: ${stage.name}` : stage.name,
      rules: stage.rules,
    })),
  )
}

/** The requirements of a stage, as sentences. */
export function ruleTexts(rules: AnyRecord, definitions: Definitions | undefined): string[] {
  const { require_fields = [], set_fields = {}, assign_to = [], add_tag_ids = [], close_with } = rules
  const named = (field: string) => fieldName(field, definitions).toLowerCase()
  const tags = definitions?.tags.filter(({ _id }) => add_tag_ids.includes(_id)).map(({ name }) => name) ?? []
  const set = Object.entries(set_fields).map(([field, value]) => `sets ${named(field)} to ${valueText(value)}`)
  return [
    ...(require_fields.length > 0 ? [`needs ${require_fields.map(named).join(', ')}`] : []),
    ...set,
    ...(assign_to.length > 0 ? ['assigns an agent in turn'] : []),
    ...(tags.length > 0 ? [`adds the ${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`] : []),
    ...(close_with ? [`closes the ticket as ${close_with}`] : []),
  ]
}
