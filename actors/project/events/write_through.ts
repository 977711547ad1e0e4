/**
 * Writes values of an event to its ticket or contact: the last write wins, `null` clears. The event keeps the values as
 * sent.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ActiveTicket, Contact } from '../../../storage/mod.ts'
import { MAX_CUSTOM_FIELDS } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { hasAtMost } from '../../values/characters.ts'
import { changeContact } from '../contacts/contact.ts'
import type { Target } from '../definitions/targets.ts'
import { type ColumnChange, changeTicket } from '../tickets/change_ticket.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import type { EventPlan } from './event_plan.ts'

type Data = Record<string, unknown>

/** The changes of the ticket and of the contact. */
export type Patches = { [Owner in Target['owner']]?: Data }

/**
 * The changes that an event makes. `custom`: the present custom fields of the records; a record without an entry is not
 * changed.
 * @throws {Refusal} INVALID_FIELD_VALUE when the custom fields of a record would become too large by these values
 */
export function patchesOf({ written }: EventPlan, data: Data, custom: Partial<Record<Target['owner'], Data>>): Patches {
  const patches: Patches = {}
  const customKeys: Record<Target['owner'], string[]> = { ticket: [], contact: [] }
  for (const { key, target } of written) {
    const { owner, field, type } = target
    if (!custom[owner] || !Object.hasOwn(data, key)) continue
    patches[owner] ??= {}
    const patch = patches[owner]
    // Turns minus zero into zero.
    if (type !== undefined) patch[field] = data[key] === 0 ? 0 : data[key]
    else {
      patch.custom_fields ??= { ...custom[owner] }
      const fields = patch.custom_fields as Data
      if (data[key] === null) delete fields[field]
      else fields[field] = data[key]
      customKeys[owner].push(key)
    }
  }
  for (const owner of ['ticket', 'contact'] as const) {
    const fields = patches[owner]?.custom_fields
    if (fields === undefined || !isTooLarge(fields as Data)) continue
    // Others have made the record too large, so that no event could mend it. Such an event answers for its own values.
    if (isTooLarge(custom[owner]!)) {
      const own = Object.fromEntries(customKeys[owner].map((key) => [key, data[key]]))
      if (!isTooLarge(own)) continue
    }
    const message = `With these values the custom fields of the ${owner} would have more than ${MAX_CUSTOM_FIELDS} characters as JSON.`
    throw refuse('INVALID_FIELD_VALUE', { fields: customKeys[owner] }, message)
  }
  return patches
}

function isTooLarge(custom_fields: Data): boolean {
  return !hasAtMost(JSON.stringify(custom_fields), MAX_CUSTOM_FIELDS)
}

/**
 * Makes at most one change per record, however many fields differ. A change of the contact alone is one of the ticket for
 * subscribers, too: the contract promises `crm.ticket.updated` for both.
 */
export function writeThrough(
  turn: ProjectTurn,
  patches: Patches,
  ticket: ActiveTicket,
  contact: Contact | undefined,
): void {
  // The contact first, because the ticket's record shows its name.
  const different = contact && patches.contact && differences(contact, patches.contact)
  const former = different && { ...contact }
  if (different) changeContact(turn, contact, different)
  if (patches.ticket || former) changeTicket(turn, ticket, (patches.ticket ?? {}) as ColumnChange, { former })
}

function differences(contact: Contact, patch: Data): Partial<Contact> | undefined {
  let found: Data | undefined
  for (const [column, value] of Object.entries(patch)) {
    if (isDeepStrictEqual(contact[column as keyof Contact] ?? null, value)) continue
    found ??= {}
    found[column] = value
  }
  return found
}
