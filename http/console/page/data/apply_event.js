/**
 * The meaning of live events for records: the one place where the console learns it. No DOM, no state.
 *
 * An event carries the record as it was after the change, or a part of it. Events of a record come in order, but answers
 * may be older than events: a record counts unless it is older than the known one. A ticket is older with a smaller
 * version, or with the same version and an earlier activity; other records are older with an earlier `updated_at`.
 */

/** @typedef {import('../../page_types/live.ts').ProjectEvent} ProjectEvent */
/** @typedef {import('../../page_types/record.ts').RecordKind} RecordKind */
/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/**
 * A change by an event. `before` is undefined for a record that was not known, `after` for one that is deleted. With
 * `is_stale`, other fields may have changed too: who shows the record reads it again. `after` is a part of the record when
 * `is_part`, which happens for unknown records only.
 *
 * @typedef {{
 *   kind: RecordKind
 *   id: string
 *   before: AnyRecord | undefined
 *   after: AnyRecord | undefined
 *   is_new: boolean
 *   is_part: boolean
 *   is_stale: boolean
 * }} Change
 */

/** @type {Partial<Record<string, RecordKind>>} */
const KINDS = {
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
 * @param {(kind: RecordKind, id: string) => AnyRecord | undefined} find a known record
 * @param {ProjectEvent} event
 * @returns {Change[]}
 */
export function applyEvent(find, { type, data }) {
  const kind = KINDS[type]
  if (kind === undefined) return []
  const { partial, stale = false, ...fields } = /** @type {AnyRecord} */ (data)
  const id = idOf(fields)
  const before = find(kind, id)
  const common = { kind, id, before, is_new: /created|recorded/.test(type), is_part: false, is_stale: stale }
  if (type.endsWith('.deleted')) return [{ ...common, after: undefined }]
  if (before === undefined) return [{ ...common, after: fields, is_part: partial === true }]
  const after = newestOf(before, partial ? { ...before, ...fields } : fields)
  return after === before && !stale ? [] : [{ ...common, after }]
}

/**
 * Messages have an `id`, all other records an `_id`.
 *
 * @param {AnyRecord} record
 * @returns {string}
 */
export function idOf(record) {
  return record._id ?? record.id
}

/**
 * The heard form of a record, unless it is older than the known one.
 *
 * @param {AnyRecord | undefined} known
 * @param {AnyRecord} heard
 */
export function newestOf(known, heard) {
  if (known === undefined) return heard
  for (const field of typeof known.version === 'number' ? ['version', 'last_activity_at'] : ['updated_at']) {
    if (heard[field] < known[field]) return known
    if (heard[field] > known[field]) return heard
  }
  return heard
}
