/** The body of `PATCH /v1/crm/tickets/{id}`. `null` clears an optional field. */
import * as v from 'valibot'
import { across, fieldsOf, maxCharacters, named, recordId } from '../../schema/mod.ts'
import { customFields } from '../custom_fields.ts'
import { ticketColumns, writableColumns } from './ticket.ts'

/** Maximum tags of a ticket. */
export const MAX_TICKET_TAGS = 100

/** Maximum characters of each text in the summary of the conversation. */
const MAX_TEXT_LENGTH = 5000

const longText = v.pipe(v.string(), maxCharacters(MAX_TEXT_LENGTH))

const tagIds = v.pipe(v.array(recordId), v.maxLength(MAX_TICKET_TAGS))

const summary = v.pipe(
  v.strictObject({
    motivo: v.optional(v.nullable(longText)),
    estado: v.optional(v.nullable(longText)),
    proximos_pasos: v.optional(v.nullable(longText)),
    is_final: v.optional(v.boolean()),
  }),
  v.description('Replaces the whole summary'),
)

const fields = v.partial(
  v.strictObject({
    ...v.pick(ticketColumns, ['is_closed', 'resolution', 'external_id']).entries,
    ...writableColumns.entries,
    assigned_to: v.nullable(v.pipe(recordId, v.description('A user of the company'))),
    custom_fields: customFields,
    tag_ids: v.pipe(tagIds, v.description('Replaces the list')),
    add_tag_ids: tagIds,
    remove_tag_ids: tagIds,
    conversation_summary: v.nullable(summary),
  }),
)

export const ticketPatch = named(
  'TicketPatch',
  v.pipe(
    fields,
    across(
      (value, say) => {
        const sent = fieldsOf(value)
        if (sent.tag_ids === undefined) return
        for (const key of ['add_tag_ids', 'remove_tag_ids'].filter((name) => sent[name] !== undefined)) {
          say('cannot be sent with tag_ids, which replaces the list; send one or the other', [key])
        }
      },
      {
        excludes: { tag_ids: ['add_tag_ids', 'remove_tag_ids'] },
      },
    ),
  ),
)

export type TicketPatch = v.InferOutput<typeof ticketPatch>
