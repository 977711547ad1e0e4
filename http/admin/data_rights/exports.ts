import * as v from 'valibot'
import { type ExportProtocol, exampleIds, named, plainIdPattern } from '../../../actors/mod.ts'
import { type Address, Refusal } from '../../../runtime/mod.ts'
import {
  type BlobStore,
  type Database,
  type DataExport,
  findExport,
  listExports,
  removeExport,
} from '../../../storage/mod.ts'
import type { Download } from '../../server/files/download.ts'
import type { Route } from '../../server/route/route.ts'
import { objectId, recordList, recordsOf, timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained } from '../records.ts'
import { counts, kind, subject, subjectNamed } from './fields.ts'

const statuses = ['running', 'done', 'failed', 'expired'] as const

const record = named(
  'DataExport',
  v.object({
    _id: objectId,
    kind,
    subject_id: objectId,
    company_id: objectId,
    project_id: v.pipe(v.nullable(objectId), v.description('Null for a customer')),
    status: v.picklist(statuses),
    step: v.pipe(v.nullable(v.string()), v.description('The step under way')),
    counts,
    snapshot_at: v.pipe(v.nullable(timestamp), v.description('The moment that the export shows')),
    file_size: v.pipe(v.nullable(v.number()), v.description('Bytes')),
    sha256: v.nullable(v.string()),
    expires_at: v.pipe(v.nullable(timestamp), v.description('When the file is removed')),
    error: v.nullable(v.string()),
    requested_by: v.string(),
    created_at: timestamp,
    ended_at: v.nullable(timestamp),
  }),
)

function show(row: DataExport) {
  const { _id, kind, subject_id, company_id, status, counts, requested_by, created_at } = row
  return {
    ...{
      _id,
      kind,
      subject_id,
      company_id,
      project_id: row.project_id ?? null,
      status,
      step: row.step ?? null,
      counts,
    },
    snapshot_at: row.snapshot_at ?? null,
    file_size: row.file_size === null || row.file_size === undefined ? null : Number(row.file_size),
    sha256: row.sha256 ?? null,
    expires_at: row.expires_at ?? null,
    error: row.error ?? null,
    ...{ requested_by, created_at, ended_at: row.ended_at ?? null },
  }
}

async function found(database: Database, id: string): Promise<DataExport> {
  const row = await findExport(database, id)
  if (!row) throw new Refusal('NOT_FOUND')
  return row
}

/** Exports of people's and projects' data. Their files show everything, so they need the role `admin`. */
export const exportRoutes = (blobs: BlobStore): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/exports',
    operation: 'create_export',
    example: { body: { kind: 'contact', id: exampleIds.contact } },
    summary: 'Export the data of a contact, a customer or a project; while one is being written, it is returned',
    status: 202,
    body: v.strictObject(subject),
    response: record,
    errors: ['NOT_FOUND'],
    async change({ body: { kind, id } }, { database, runtime, origin }) {
      const { company_id, project_id } = await subjectNamed(database, kind, id)
      const address: Address<ExportProtocol> = `data_export/${id}`
      const begin = { type: 'begin' as const, kind, company_id, project_id, origin: origin! }
      return show(await found(database, await runtime.ask(address, begin, { repeatable: true })))
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/exports',
    operation: 'list_exports',
    summary: 'List exports, newest first',
    status: 200,
    query: recordList({
      kind: v.optional(kind),
      status: v.optional(v.picklist(statuses, `must be one of ${statuses.join(', ')}`)),
      subject_id: v.optional(objectId),
      project_id: v.optional(objectId),
      company_id: v.optional(objectId),
    }),
    response: recordsOf(record),
    async read({ query: { limit, offset, cursor, ...filter } }, { database }) {
      const { data, ...page } = await listExports(database, filter, { limit, offset, cursor })
      return { ...page, data: data.map(show), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/exports/:id',
    operation: 'get_export',
    summary: 'Show an export with its progress',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params: { id = '' } }, { database }) => show(await found(database, id)),
  }),
  {
    method: 'GET',
    path: '/admin/v1/exports/:id/file',
    operation: 'download_export',
    response_type: 'application/x-tar',
    summary: 'Download the archive of an export, or parts of it with Range',
    auth: 'operator',
    role: 'admin',
    params: { id: plainIdPattern },
    status: 200,
    errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
    async download({ params: { id = '' } }, { database }): Promise<Download> {
      const { blob_key, sha256, file_size, kind, subject_id } = await found(database, id)
      if (!blob_key) throw new Refusal('NOT_FOUND', { message: 'This export has no file (yet, or any more).' })
      return {
        size: Number(file_size),
        etag: `"${sha256}"`,
        content_type: 'application/x-tar',
        filename: `${kind}-${subject_id}.tar`,
        async open(range) {
          const blob = await blobs.get(blob_key, range)
          if (!blob) throw new Refusal('NOT_FOUND')
          return blob.stream
        },
      }
    },
  },
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/exports/:id',
    operation: 'delete_export',
    summary: 'Remove the file of an export, or stop one that is being written; its record stays',
    status: 204,
    errors: ['NOT_FOUND'],
    async change({ params: { id = '' } }, { database }) {
      await explained(removeExport(database, blobs, id))
    },
  }),
]
