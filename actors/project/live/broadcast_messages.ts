/**
 * The messages of broadcasts on the consoles. A broadcast changes thousands of messages, contacts and tickets in a
 * minute, which no agent follows one by one. So these changes are gathered, and published as one event with the
 * contacts, twice a second at most.
 */
import type { ProjectTurn } from '../turn/turn.ts'

/** More contacts than this are not named. */
const MAX_CONTACTS = 100

/** A broadcast has changed records of these contacts. */
export function nameContacts(turn: ProjectTurn, contact_ids: Iterable<string>): void {
  turn.notice(turn.key, { type: 'broadcast.messages', list: 'chat_users', ids: contact_ids, most: MAX_CONTACTS })
}
