/** The name of a person in the phone's address book. The person's own name, and that of an agent, stand before it. */
import { composed } from '../../../storage/mod.ts'
import type { HistoryItem } from '../../providers/mod.ts'
import { changeContact, contactOn, ensureContact } from '../contacts/contact.ts'
import { wantIds } from '../contacts/person_reads.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

type Name = Extract<HistoryItem, { kind: 'name' }>

/** Characters of a contact's name. */
const MAX_LENGTH = 256

export function wantName(reads: Reads, channel: ProjectChannel, item: Name): void {
  wantIds(reads, channel, item)
}

/** Returns false when nothing changes. A removed entry takes away its name alone. */
export function takeName(turn: ProjectTurn, channel: ProjectChannel, { name: raw_name, ...ids }: Name): boolean {
  const name = raw_name === null ? null : [...composed(raw_name)].slice(0, MAX_LENGTH).join('')
  const present = contactOn(turn, channel, ids)
  if (!present && name === null) return false
  const contact = present ?? ensureContact(turn, channel, ids)
  const former = contact.address_book_name ?? null
  if (former === name) return false
  const is_shown = !contact.name || contact.name === former
  changeContact(turn, contact, { address_book_name: name, ...(is_shown && { name }) })
  return true
}
