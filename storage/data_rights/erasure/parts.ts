/** Search terms of a running erasure: ids and identities of people, kept until it ends. */

import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import type { DataErasure } from '../../entities/data_rights/data_erasure.ts'
import type { DataErasurePart, ErasurePartKind } from '../../entities/data_rights/data_erasure_part.ts'
import { sql } from '../../sql/sql.ts'
import type { KnownContact, NamedSubject, Subject } from '../subject.ts'

/** The subject with everything that was noted of it so far. */
export async function subjectOf(
  database: Database,
  { _id, kind, subject_id, company_id, project_id }: Pick<DataErasure, '_id' | keyof NamedSubject>,
): Promise<Subject> {
  const named = { kind, subject_id, company_id, project_id: project_id ?? null }
  const rows =
    await database.execute<DataErasurePart>(sql`select kind, value, project_id, identities, forgotten_at from data_erasure_part
    where erasure_id = ${_id} and kind in ('contact', 'customer', 'ticket', 'record', 'identity')`)
  const parts = Map.groupBy(rows, (row) => row.kind)
  const of = (part: ErasurePartKind) => (parts.get(part) ?? []).map(({ value }) => value)
  const projects = project_id
    ? [project_id]
    : (await database.execute<{ _id: string }>(sql`select _id from project where company_id = ${company_id}`)).map(
        (row) => row._id,
      )
  return {
    ...named,
    projects,
    contacts: of('contact'),
    customers: of('customer'),
    tickets: of('ticket'),
    records: of('record'),
    identities: of('identity'),
    known: (parts.get('contact') ?? []).map((contact) => knownContact(contact, parts.get('identity') ?? [])),
  }
}

/** Its project adds the identities that the contact got since they were noted. */
function knownContact(contact: DataErasurePart, identities: readonly DataErasurePart[]): KnownContact {
  const { project_id, forgotten_at } = contact
  // A node of an earlier version noted none with the contact.
  const is_its = (one: DataErasurePart) => !contact.identities || one.project_id === project_id
  const later = identities.filter(is_its).map(({ value }) => value)
  return {
    project_id: project_id!,
    identities: [...new Set([...(contact.identities ?? []), ...later])],
    forgotten_at: forgotten_at ? new Date(forgotten_at) : null,
  }
}

/** Notes values of a running erasure. */
export async function addParts(
  em: EntityManager,
  erasure_id: string,
  kind: ErasurePartKind,
  values: Iterable<{ value: string; project_id?: string | null; identities?: string[] }>,
): Promise<void> {
  const rows = [...values].map(
    ({ value, project_id, identities }) =>
      sql`(${sql.list([erasure_id, kind, value])}, ${project_id || null},
        ${identities ? sql`${JSON.stringify(identities)}::json` : sql`null`})`,
  )
  if (rows.length === 0) return
  await em.execute(
    sql`insert into data_erasure_part (erasure_id, kind, value, project_id, identities) values ${sql.join(rows, ',')}
    on conflict do nothing`,
  )
}
