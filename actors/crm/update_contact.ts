/** `PATCH /v1/contacts/{id}`: only what was sent and is different is written and told. */
import { toContactRecord } from '../../storage/mod.ts'
import { changeContact } from '../project/contacts.ts'
import type { ProjectTurn } from '../project/events.ts'
import type { CommandResult } from '../project/request.ts'
import { refuse } from '../refuse.ts'
import { crmOf } from './change_ticket.ts'
import { checkCustomFields } from './custom_fields.ts'

export type UpdateContact = {
  type: 'update_contact'
  id: string
  patch: {
    name?: string | null
    /** E.164. */
    phone?: string | null
    avatar?: string | null
    /** Replaces all of them. */
    custom_fields?: Record<string, unknown>
    customer_id?: string | null
  }
}

export function updateContact(turn: ProjectTurn, { id, patch }: UpdateContact): CommandResult {
  const { customers, definitions } = crmOf(turn)
  const contact = turn.records.contactsById.get(id)
  if (!contact) throw refuse('NOT_FOUND')
  const { customer_id, custom_fields } = patch
  if (customer_id && !customers.has(customer_id)) throw refuse('CUSTOMER_NOT_FOUND', { customer_id })
  if (custom_fields) checkCustomFields('contact', custom_fields, definitions)
  changeContact(turn, contact, patch)
  return { body: toContactRecord(contact, turn.now) }
}
