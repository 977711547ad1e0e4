/** The body of `PATCH /v1/crm/tickets/{id}`. `null` clears an optional field. */
import * as v from 'valibot'
import {
  amountStatuses,
  isCurrency,
  MAX_CATEGORY_LENGTH,
  MAX_TICKET_TAGS,
  ticketPriorities,
} from '../../../actors/mod.ts'
import { across, fieldsOf } from '../../server/schema/across.ts'
import { composedText } from '../../server/schema/composed_text.ts'
import { recordId } from '../../server/schema/fields.ts'
import { maxCharacters, minCharacters } from '../../server/schema/length.ts'
import { named } from '../../server/schema/named.ts'
import { customFields } from '../custom_fields.ts'

/** Maximum characters of each text of a ticket's stage, and of the summary of its conversation. */
const MAX_TEXT_LENGTH = 5000

const longText = v.pipe(v.string(), maxCharacters(MAX_TEXT_LENGTH))

const amount = v.pipe(
  v.number(),
  v.finite('must be a finite number'),
  // Turns minus zero into zero.
  v.transform((value) => value + 0),
)

const currency = v.pipe(
  v.string(),
  v.check(isCurrency, 'must be a currency code of ISO 4217, in capitals, such as MXN'),
)

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
    is_closed: v.boolean(),
    resolution: v.nullable(v.picklist(['won', 'lost'])),
    priority: v.nullable(v.picklist(ticketPriorities)),
    category: v.nullable(v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(MAX_CATEGORY_LENGTH))),
    assigned_to: v.nullable(v.pipe(recordId, v.description('A user of the company'))),
    custom_fields: customFields,
    amount: v.nullable(amount),
    amount_currency: v.nullable(currency),
    amount_status: v.nullable(v.picklist(amountStatuses)),
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
