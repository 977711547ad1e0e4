/** The message template as the API shows it: the provider's words, and the variables that a send must have. */
import * as v from 'valibot'
import type { Template } from '../../../storage/mod.ts'
import { templateVariables } from '../../providers/whatsapp/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'
import { exampleIds as ids } from '../example_ids.ts'

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  channel_id: recordId,
  provider_template_id: v.pipe(
    v.nullable(v.string()),
    v.description("The provider's id; null until the provider's list was read"),
  ),
  name: v.string(),
  language: v.string(),
  status: v.pipe(v.string(), v.description("The provider's word, such as APPROVED, REJECTED or PAUSED")),
  rejected_reason: v.pipe(v.nullable(v.string()), v.description("The provider's reason for a rejection")),
  category: v.pipe(v.string(), v.description('MARKETING, UTILITY or AUTHENTICATION; decides the price of a send')),
  previous_category: v.pipe(
    v.nullable(v.string()),
    v.description('The category before the provider changed it; null when it never did'),
  ),
  next_category: v.pipe(
    v.nullable(v.string()),
    v.description('The category to which the provider has announced to change the template'),
  ),
  quality: v.pipe(
    v.nullable(v.string()),
    v.description('The opinion of its receivers: GREEN, YELLOW, RED or UNKNOWN; null until the provider told it'),
  ),
  components: v.array(v.record(v.string(), v.unknown())),
  synced_at: timestamp,
})

export const templateRecord = named(
  'Template',
  v.object({
    ...columns.entries,
    variables: v.pipe(v.array(v.string()), v.description('Names that `message.variables` of a send must have')),
  }),
)

export type TemplateRecord = InMemory<v.InferOutput<typeof templateRecord>>

export function toTemplateRecord(row: Template): TemplateRecord {
  return { ...valuesOf(columns, row), variables: templateVariables(row.components) }
}

export const templateExample: v.InferOutput<typeof templateRecord> = {
  _id: ids.template,
  channel_id: ids.channel,
  provider_template_id: '1259544702043867',
  name: 'order_update',
  language: 'en_US',
  status: 'APPROVED',
  rejected_reason: null,
  category: 'UTILITY',
  previous_category: null,
  next_category: null,
  quality: 'GREEN',
  components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} is on its way.' }],
  variables: ['1', '2'],
  synced_at: '2026-09-21T14:13:20.000Z',
}
