/**
 * The contact that stays loses again what a merge gave it. So do the contacts into which that one was merged later, as far
 * as they have it from there. Values that somebody has changed since stay.
 */
import { isDeepStrictEqual as isSame } from 'node:util'
import { type Consent, type Contact, ContactMerge, type MergeChanges } from '../../../storage/mod.ts'
import { changeContact, noteOfContact } from '../contacts/contact.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { partNamed, stricter } from './merge_contacts.ts'
import { mergeReads } from './reads.ts'

type Gains = Pick<MergeChanges, 'filled' | 'custom_fields' | 'consent'>

export function takeBack(turn: ProjectTurn, merge: ContactMerge): void {
  const { merges } = turn.records.of(mergeReads)
  const stand = [...merges.values()].filter((one) => one !== merge && one.status === 'merged')
  let gains: Gains = merge.changes
  let holder = partNamed(turn, merge.contact_id)
  while (holder) {
    const { _id, merged_into } = holder
    const changes = without(holder, gains)
    if (!merged_into) changeContact(turn, holder, changes)
    else if (Object.keys(changes).length > 0) noteOfContact(turn, holder, changes)
    const { consent } = gains
    for (const one of stand) {
      // The consent that an undo would bring back is not the contact's own.
      if (one.contact_id === _id && isSame(one.changes.consent.before, consent.after))
        change(turn, one, { consent: { ...one.changes.consent, before: consent.before } })
    }
    const next = stand.find(({ from_contact_id }) => from_contact_id === _id)
    gains = next ? passOn(turn, next, gains) : gains
    holder = next && partNamed(turn, next.contact_id)
  }
}

/** The columns of the contact that still have what was given. */
function without(contact: Contact, { filled, custom_fields, consent }: Gains): Partial<Contact> {
  const taken = Object.entries(filled).filter(([column, value]) => contact[column as keyof typeof filled] === value)
  const kept = Object.entries(contact.custom_fields).filter(
    ([field, value]) => !Object.hasOwn(custom_fields, field) || !isSame(custom_fields[field], value),
  )
  const has_fewer = kept.length < Object.keys(contact.custom_fields).length
  const is_of_merge = !isSame(consent.before, consent.after) && isSame(contact.consent ?? null, consent.after)
  return {
    ...Object.fromEntries(taken.map(([column]) => [column, null])),
    ...(has_fewer && { custom_fields: Object.fromEntries(kept) }),
    ...(is_of_merge && { consent: consent.before }),
  }
}

/** Takes from a later merge what it passed on, and returns that. */
function passOn(turn: ProjectTurn, next: ContactMerge, gains: Gains): Gains {
  const { filled, custom_fields, consent, customer_id } = next.changes
  const is_passed = ([key, value]: [string, unknown], of: Record<string, unknown>) =>
    Object.hasOwn(of, key) && isSame(of[key], value)
  const split = (values: Record<string, unknown>, of: Record<string, unknown>) => {
    const parts = Object.groupBy(Object.entries(values), (entry) => (is_passed(entry, of) ? 'passed' : 'own'))
    return { passed: Object.fromEntries(parts.passed ?? []), own: Object.fromEntries(parts.own ?? []) }
  }
  const columns = split(filled, gains.filled)
  const fields = split(custom_fields, gains.custom_fields)
  const has_wish = isSame(consent.after, gains.consent.after) && !isSame(consent.before, consent.after)
  const after: Consent | null = has_wish ? stricter(consent.before, gains.consent.before) : consent.after
  change(turn, next, {
    filled: columns.own,
    custom_fields: fields.own,
    consent: { ...consent, after },
    customer_id: gains.filled.customer_id && customer_id === gains.filled.customer_id ? null : customer_id,
  })
  return {
    filled: columns.passed,
    custom_fields: fields.passed,
    consent: { before: after, after: consent.after },
  }
}

function change(turn: ProjectTurn, merge: ContactMerge, patch: Partial<MergeChanges>): void {
  const changes = { ...merge.changes, ...patch }
  if (isSame(changes, merge.changes)) return
  merge.changes = changes
  turn.update(ContactMerge, { _id: merge._id }, { changes })
}
