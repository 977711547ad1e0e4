import * as v from 'valibot'
import { type ErasureProtocol, exampleIds, maxCharacters, minCharacters, named } from '../../../actors/mod.ts'
import { type Address, Refusal } from '../../../runtime/mod.ts'
import { countSubject, type Database, findErasure, listErasures } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { objectId, recordList, recordsOf, timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { counts, kind, subject, subjectNamed } from './fields.ts'

const text = (most: number) => v.pipe(v.string('must be a string'), v.trim(), minCharacters(1), maxCharacters(most))

const record = named(
  'Erasure',
  v.object({
    _id: objectId,
    kind,
    subject_id: objectId,
    company_id: objectId,
    project_id: v.pipe(v.nullable(objectId), v.description('Null for a customer')),
    status: v.picklist(['running', 'done']),
    phase: v.pipe(v.nullable(v.string()), v.description('The step under way; null at the end')),
    waits_for: v.pipe(v.nullable(v.string()), v.description('Why it does not go on at once')),
    counts,
    requested_by: v.string(),
    reason: v.nullable(v.string()),
    created_at: timestamp,
    ended_at: v.nullable(timestamp),
  }),
)

/** @throws {Refusal} NOT_FOUND */
async function erasureOf(database: Database, id: string) {
  const found = await findErasure(database, id)
  if (!found) throw new Refusal('NOT_FOUND')
  return found
}

/** Erasures of people's data, and their proofs. */
export const erasureRoutes: Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/erasure-preview',
    operation: 'preview_erasure',
    example: { query: { kind: 'contact', id: exampleIds.contact } },
    summary: 'Count what an erasure would erase; 1001 stands for more than 1000 records of a kind',
    status: 200,
    query: v.strictObject(subject),
    response: v.object({ kind, subject_id: objectId, counts }),
    errors: ['NOT_FOUND'],
    async read({ query: { kind, id } }, { database }) {
      const named = await subjectNamed(database, kind, id)
      return { kind, subject_id: id, counts: await countSubject(database, named) }
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/erasures',
    operation: 'create_erasure',
    example: {
      body: {
        kind: 'contact',
        id: exampleIds.contact,
        confirm: true,
        reason: 'Asked for by the person.',
      },
    },
    summary: 'Erase a contact, a customer or a project for good; while one is running, it is returned',
    status: 202,
    body: v.strictObject({
      ...subject,
      reason: v.optional(text(500)),
      confirm: v.literal(true, 'must be true: what is erased cannot be brought back'),
    }),
    response: record,
    errors: ['NOT_FOUND'],
    async change({ body: { kind, id, reason = null } }, { database, runtime, origin }) {
      const { company_id, project_id } = await subjectNamed(database, kind, id)
      const address: Address<ErasureProtocol> = `data_erasure/${id}`
      const begin = { type: 'begin' as const, kind, company_id, project_id, origin: origin!, reason }
      const _id = await runtime.ask(address, begin, { repeatable: true })
      return erasureOf(database, _id)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/erasures',
    operation: 'list_erasures',
    summary: 'List erasures, newest first; identity asks whether a phone, an address or another id was erased',
    status: 200,
    query: recordList({
      kind: v.optional(kind),
      status: v.optional(v.picklist(['running', 'done'], 'must be running or done')),
      subject_id: v.optional(objectId),
      project_id: v.optional(objectId),
      company_id: v.optional(objectId),
      identity: v.optional(text(300)),
    }),
    response: recordsOf(record),
    async read({ query: { limit, offset, cursor, ...filter } }, { database }) {
      return { ...(await listErasures(database, filter, { limit, offset, cursor })), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/erasures/:id',
    operation: 'get_erasure',
    summary: 'Show an erasure with its progress',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: ({ params: { id = '' } }, { database }) => erasureOf(database, id),
  }),
]
