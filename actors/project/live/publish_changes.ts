/**
 * Publishes what a turn changed to the consoles that watch the project. It looks at the writes of the whole turn, so no
 * command can forget to publish.
 *
 *  P1 Every message, ticket, note, event, contact, appointment and node of knowledge that a turn writes is in one event of
 *  that turn, as the turn leaves it; except for columns that no record shows, and for P2.
 *  P2 Of the contacts of a broadcast's messages, `broadcast.messages` tells instead.
 *  P3 Without watchers a turn costs one look into a map.
 *  P4 A record that cannot be shown costs its watchers a reading, and never the turn.
 */
import type { Write } from '../../../storage/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { nameContacts } from './broadcast_messages.ts'
import { type ChangedRecord, type PublishedRecord, publishedRecords } from './published_records.ts'
import { TurnView } from './turn_view.ts'

type Change = ChangedRecord & { record: PublishedRecord }

export function publishChanges(turn: ProjectTurn, writes: readonly Write[]): void {
  if (!turn.isWatched(turn.key)) return
  try {
    publish(turn, writes)
  } catch (error) {
    turn.missLive(turn.key, error)
  }
}

function publish(turn: ProjectTurn, writes: readonly Write[]): void {
  const changes = changesOf(writes)
  if (changes.length === 0) return
  const view = new TurnView(turn)
  const of_broadcasts = contactsOfBroadcasts(view, changes)
  if (of_broadcasts.size > 0) nameContacts(turn, of_broadcasts)
  for (const change of changes) {
    const { record } = change
    const fate = record.isGone?.(view, change) ? 'deleted' : change.fate
    if (of_broadcasts.size > 0 && isOfBroadcast(view, change, of_broadcasts)) continue
    const type = `${record.name}.${fate === 'deleted' ? fate : ((fate === 'created' ? record.created : record.updated) ?? fate)}`
    if (fate === 'deleted') turn.live(turn.key, () => ({ type, data: { [record.id]: change.id } }))
    else {
      const brief = () => ({
        ...record.brief(view, change),
        partial: true,
        stale: record.isBrief?.(change) !== true,
      })
      turn.live(turn.key, () => ({ type, data: record.show(view, change) ?? brief(), brief }))
    }
  }
}

/** The changed records, each once, in the order of their first writes. */
function changesOf(writes: readonly Write[]): Change[] {
  const changes = new Map<string, Change>()
  for (const { entity, kind, key, values } of writes) {
    const record = publishedRecords.get(entity)
    if (!record || (kind === 'update' && isHidden(values, record.hidden))) continue
    const id = key[record.key] as string
    const name = `${record.name} ${id}`
    const fate = kind === 'insert' ? 'created' : kind === 'remove' ? 'deleted' : 'updated'
    const known = changes.get(name)
    if (!known) changes.set(name, { record, id, fate, values })
    else if (fate === 'deleted') known.fate = fate
    // The row of an insert is the record itself, which the turn has changed since.
    else if (known.fate === 'updated') known.values = { ...known.values, ...values }
  }
  return [...changes.values()]
}

function isHidden(values: object, hidden: readonly string[]): boolean {
  return hidden.length > 0 && Object.keys(values).every((column) => hidden.includes(column))
}

function contactsOfBroadcasts(view: TurnView, changes: Change[]): Set<string> {
  const contacts = new Set<string>()
  for (const change of changes) {
    const { record } = change
    const id = record.isOfBroadcast?.(view, change) ? record.contact(view, change) : undefined
    if (id) contacts.add(id)
  }
  return contacts
}

/** True when `broadcast.messages` tells of the change. A message of a person is told of all the same. */
function isOfBroadcast(view: TurnView, change: Change, contacts: ReadonlySet<string>): boolean {
  const { record } = change
  if (record.isOfBroadcast) return record.isOfBroadcast(view, change)
  return contacts.has(record.contact(view, change) ?? '')
}
