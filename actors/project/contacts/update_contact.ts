/** `PATCH /v1/contacts/{id}`. Only given fields that differ are written and published. */
import { type ContactPatch, toContactRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { checkCustomFields } from '../definitions/custom_fields.ts'
import { definitionsOf, wantDefinitions } from '../definitions/reads.ts'
import type { Command } from '../turn/feature.ts'
import { auditedContact } from './audited.ts'
import { changeContact } from './contact.ts'
import { customerReads } from './customers.ts'
import { contactNamed, contactReads } from './reads.ts'

export type UpdateContact = { type: 'update_contact'; id: string; patch: ContactPatch }

/** @throws {Refusal} NOT_FOUND, CUSTOMER_NOT_FOUND, VALIDATION_ERROR */
export const updateContact = {
  audit: auditedContact,
  reads(reads, { id, patch }) {
    wantDefinitions(reads)
    reads.of(contactReads).ids.add(id)
    if (patch.customer_id) reads.of(customerReads).add(patch.customer_id)
  },
  run(turn, { id, patch }) {
    const contact = contactNamed(turn.records, id)
    if (!contact) throw refuse('NOT_FOUND')
    const { customer_id, custom_fields } = patch
    if (customer_id && !turn.records.of(customerReads).has(customer_id)) {
      throw refuse('CUSTOMER_NOT_FOUND', { customer_id })
    }
    if (custom_fields) checkCustomFields('contact', custom_fields, definitionsOf(turn))
    const { consent, ...rest } = patch
    const said = consent && consent.marketing !== (contact.consent?.marketing ?? 'unknown')
    const changed_at = turn.now.toISOString()
    changeContact(turn, contact, { ...rest, ...(said && { consent: { ...consent, changed_at, source: 'api' } }) })
    return { body: toContactRecord(contact, turn.now) }
  },
} satisfies Command<UpdateContact>
