/** What a running erasure looks for: ids and identities of people, kept until it ends. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../database.ts'
import type { DataErasure } from '../../entities/data_erasure.ts'
import type { ErasurePartKind } from '../../entities/data_erasure_part.ts'
import { literal } from '../../write_set.ts'
import type { NamedSubject, Subject } from '../subject.ts'

/** The subject with everything that was noted of it so far. */
export async function subjectOf(
  database: Database,
  { _id, kind, subject_id, company_id, project_id }: Pick<DataErasure, '_id' | keyof NamedSubject>,
): Promise<Subject> {
  const named = { kind, subject_id, company_id, project_id: project_id ?? null }
  const rows = await database.execute<{ kind: ErasurePartKind; values: string[] }>(
    'select kind, array_agg(value) as values from data_erasure_part where erasure_id = ? group by kind',
    [_id],
  )
  const parts = new Map(rows.map((row) => [row.kind, row.values]))
  const of = (part: ErasurePartKind) => parts.get(part) ?? []
  const projects = project_id
    ? [project_id]
    : (await database.execute<{ _id: string }>('select _id from project where company_id = ?', [company_id])).map(
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
  }
}

/** Notes values of a running erasure. */
export async function addParts(
  em: SqlEntityManager,
  erasure_id: string,
  kind: ErasurePartKind,
  values: Iterable<{ value: string; project_id?: string | null }>,
): Promise<void> {
  const rows = [...values].map(
    ({ value, project_id }) =>
      `(${literal(erasure_id)}, ${literal(kind)}, ${literal(value)}, ${project_id ? literal(project_id) : 'null'})`,
  )
  if (rows.length === 0) return
  await em.execute(
    `insert into data_erasure_part (erasure_id, kind, value, project_id) values ${rows.join()} on conflict do nothing`,
  )
}
