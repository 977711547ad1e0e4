/** People's wishes about marketing messages. The latest word counts, whatever the order in which they arrive. */
import type { Consent, Contact } from '../../../storage/mod.ts'
import type { InboundMessage } from '../../providers/mod.ts'
import type { InboundItem } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeContact, ensureContact } from './contact.ts'
import { wantIds } from './person_reads.ts'
import { contactNamed, survivorOf } from './reads.ts'
import { wishIn } from './stop_words.ts'

/** From the provider: a person stopped or resumed marketing messages. A person who is unknown becomes a contact. */
export const consentReported: InboundItem<'consent'> = {
  reads(reads, { channel, item }) {
    wantIds(reads, channel, item)
  },
  receive(turn, { channel, item: { user_id, bsuid = null, name, marketing, at } }) {
    const contact = ensureContact(turn, channel, { user_id, bsuid, name })
    setConsent(turn, survivorOf(turn.records, contact), { marketing, source: 'provider' }, at)
  },
}

/** The provider refused a message because the person does not want it. The turn has read the contact. */
export function stopMarketing(turn: ProjectTurn, contact_id: string | null | undefined, at: Date): void {
  const contact = contactNamed(turn.records, contact_id)
  if (contact && !hasStopped(contact)) setConsent(turn, contact, { marketing: 'stopped', source: 'provider' }, at)
}

/** The person wrote a word that stops marketing messages, or one that resumes what was stopped. */
export function hearWish(turn: ProjectTurn, contact: Contact, item: InboundMessage): void {
  const wish = wishIn(item)
  if (wish === 'stop') setConsent(turn, contact, { marketing: 'stopped', source: 'message' }, item.at)
  if (wish === 'resume' && hasStopped(contact))
    setConsent(turn, contact, { marketing: 'granted', source: 'message' }, item.at)
}

/** True when the person does not want marketing messages. */
function hasStopped({ consent }: Contact): boolean {
  return consent?.marketing === 'stopped'
}

/** True for marketing that the person does not want. */
export function isUnwanted(contact: Contact, { category }: { category: string }): boolean {
  return category === 'MARKETING' && hasStopped(contact)
}

function setConsent(turn: ProjectTurn, contact: Contact, said: Omit<Consent, 'changed_at'>, at: Date): void {
  const said_at = contact.consent?.changed_at ? new Date(contact.consent.changed_at) : null
  // A later word of the same meaning counts too: an older one of the other meaning may still arrive.
  const is_known = contact.consent?.marketing === said.marketing && (said_at === null || said_at >= at)
  if (is_known || (said_at !== null && said_at > at)) return
  changeContact(turn, contact, { consent: { ...said, changed_at: at.toISOString() } })
}
