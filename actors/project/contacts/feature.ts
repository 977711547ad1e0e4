/** Contacts: people as their channels know them. */
import type { Feature } from '../turn/feature.ts'
import { changeNumber } from './changed_number.ts'
import { consentReported } from './consent.ts'
import { createContact } from './create_contact.ts'
import { profileReported } from './profile.ts'
import { updateContact } from './update_contact.ts'

export const contacts = {
  commands: { create_contact: createContact, update_contact: updateContact },
  inbound: { consent: consentReported, profile: profileReported },
  receivers: { change_number: changeNumber },
} satisfies Feature
