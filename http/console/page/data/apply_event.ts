/**
 * The meaning of live events for records: the one place where the console learns it. No DOM, no state.
 *
 * An event carries the record as it was after the change, or a part of it. Events of a record come in order, but answers
 * may be older than events: a record counts unless it is older than the known one. A ticket is older with a smaller
 * version, or with the same version and an earlier activity; other records are older with an earlier `updated_at`.
 */
import type { ProjectEvent } from '../records/live.ts'
import type { AnyRecord, RecordKind } from '../records/record.ts'

/**
 * A change by an event. `before` is undefined for a record that was not known, `after` for one that is deleted. With
 * `is_stale`, other fields may have changed too: who shows the record reads it again. `after` is a part of the record when
 * `is_part`, which happens for unknown records only.
 */
export type Change = {
  kind: RecordKind
  id: string
  before: AnyRecord | undefined
  after: AnyRecord | undefined
  is_new: boolean
  is_part: boolean
  is_stale: boolean
}

const KINDS: Partial<Record<string, RecordKind>> = {
  'message.created': 'message',
  'message.updated': 'message',
  'ticket.created': 'ticket',
  'ticket.updated': 'ticket',
  'ticket.deleted': 'ticket',
  'note.created': 'note',
  'event.recorded': 'event',
  'contact.created': 'contact',
  'contact.updated': 'contact',
  'contact.deleted': 'contact',
}

/**
 * Returns the changes of records that an event makes. Events that change no record, and events of later releases, make
 * none.
 *
 * @param find a known record
 */
export function applyEvent(
  find: (kind: RecordKind, id: string) => AnyRecord | undefined,
  { type, data }: ProjectEvent,
): Change[] {
  const kind = KINDS[type]
  if (kind === undefined) return []
  const { partial, stale = false, ...fields } = data as AnyRecord
  const id = idOf(fields)
  const before = find(kind, id)
  const common = { kind, id, before, is_new: /created|recorded/.test(type), is_part: false, is_stale: stale }
  if (type.endsWith('.deleted')) return [{ ...common, after: undefined }]
  if (before === undefined) return [{ ...common, after: fields, is_part: partial === true }]
  const after = newestOf(before, partial ? { ...before, ...fields } : fields)
  return after === before && !stale ? [] : [{ ...common, after }]
}

/** Messages have an `id`, all other records an `_id`. */
export function idOf(record: AnyRecord): string {
  return record._id ?? record.id
}

/** The heard form of a record, unless it is older than the known one. */
export function newestOf(known: AnyRecord | undefined, heard: AnyRecord) {
  if (known === undefined) return heard
  for (const field of typeof known.version === 'number' ? ['version', 'last_activity_at'] : ['updated_at']) {
    if (heard[field] < known[field]) return known
    if (heard[field] > known[field]) return heard
  }
  return heard
}
