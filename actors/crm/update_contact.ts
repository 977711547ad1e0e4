/** `PATCH /v1/contacts/{id}`: only what was sent and is different is written and told. */
import { isDeepStrictEqual } from 'node:util'
import { type Contact, toContactRecord } from '../../storage/mod.ts'
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
  // Contacts of tickets may be of another project of the company.
  if (!contact || contact.project_id !== turn.state.project_id) throw refuse('NOT_FOUND')
  const { customer_id, custom_fields } = patch
  if (customer_id && !customers.has(customer_id)) throw refuse('CUSTOMER_NOT_FOUND', { customer_id })
  if (custom_fields) checkCustomFields('contact', custom_fields, definitions)
  const changes: Partial<Contact> = {}
  for (const [column, value] of Object.entries(patch) as [keyof UpdateContact['patch'], never][]) {
    if (value !== undefined && !isDeepStrictEqual(contact[column] ?? null, value)) changes[column] = value
  }
  if (Object.keys(changes).length > 0) changeContact(turn, contact, changes)
  return { body: toContactRecord(contact, turn.now) }
}
