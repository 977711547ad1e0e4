/** Targets of event fields: `ticket.<field>` or `contact.<field>`, to which values are written through. */
import type * as v from 'valibot'
import type { FieldType } from '../../../storage/mod.ts'
import {
  contactOfTicket,
  contactRecord,
  contactWritable,
  ticketRecord,
  ticketStage,
  writableColumns,
} from '../../records/mod.ts'
import { inlineSchema } from '../../schema/mod.ts'

export type Target = {
  owner: 'ticket' | 'contact'
  /** A column, or the key of a custom field. */
  field: string
  /** The type of the column; undefined for a custom field. */
  type: FieldType | undefined
}

/** Columns that events may write. All other columns have their own operations, with their own rules. */
const columns: Record<Target['owner'], Record<string, FieldType>> = {
  ticket: typesOf(writableColumns.entries),
  contact: typesOf(contactWritable.entries),
}

function typesOf(columns: Record<string, { wrapped: v.GenericSchema }>): Record<string, FieldType> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { wrapped }]) => [name, inlineSchema(wrapped, 'request').type as FieldType]),
  )
}

/** Names of other fields of the records, which custom fields may not have. */
const RESERVED: Record<Target['owner'], ReadonlySet<string>> = {
  // A custom field may repeat a name of the contact's.
  ticket: new Set(
    [...Object.keys(ticketRecord.entries), ...Object.keys(ticketStage.entries)].filter(
      (name) => !Object.hasOwn(writableColumns.entries, name) && !Object.hasOwn(contactOfTicket.entries, name),
    ),
  ),
  contact: new Set(Object.keys(contactRecord.entries).filter((name) => !Object.hasOwn(contactWritable.entries, name))),
}

/** Keys of custom fields and of the fields of events. */
export const FIELD_KEY = /^[A-Za-z][A-Za-z0-9_-]{0,99}$/

/** The field that a new target names; undefined when events cannot write such a field. */
export function parseTarget(text: string): Target | undefined {
  const target = storedTarget(text)
  return target && RESERVED[target.owner].has(target.field) ? undefined : target
}

/** The field that a stored target names. It stays a custom field when a later release gives the record a field of its name. */
export function storedTarget(text: string): Target | undefined {
  const [, owner, field = ''] = /^(ticket|contact)\.(.+)$/.exec(text) ?? []
  if (owner !== 'ticket' && owner !== 'contact') return undefined
  if (!FIELD_KEY.test(field)) return undefined
  return { owner, field, type: Object.hasOwn(columns[owner], field) ? columns[owner][field] : undefined }
}

/** The columns of a record, for error messages about targets. */
export function targetsOf(owner: Target['owner']): string[] {
  return Object.keys(columns[owner])
}
