/**
 * The messages of broadcasts on the consoles. A broadcast changes thousands of messages, contacts and tickets in a
 * minute, which no agent follows one by one. So these changes are collected, and published as one event with the
 * contacts, twice a second at most.
 */
import type { Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectTurn } from '../turn/turn.ts'

const COLLECTED_MS = 500
/** More contacts than this are not named. */
const MOST_CONTACTS = 100
const publish = { type: 'publish_broadcast_messages' }

const collected = new Memory<{ contacts: Set<string> }>(() => ({ contacts: new Set() }))

/** A broadcast has changed records of these contacts. */
export function publishSoon(turn: ProjectTurn, contact_ids: Iterable<string>): void {
  const { contacts } = collected.of(turn.state)
  for (const id of contact_ids) if (contacts.size <= MOST_CONTACTS) contacts.add(id)
  turn.soon(COLLECTED_MS, publish)
}

/** To itself. */
export const publishBroadcastMessages: Receiver<object> = {
  receive(turn) {
    const { contacts } = collected.of(turn.state)
    if (contacts.size === 0) return
    const chat_users = contacts.size > MOST_CONTACTS ? null : [...contacts]
    contacts.clear()
    turn.live(turn.key, () => ({ type: 'broadcast.messages', data: { chat_users } }))
  },
}
