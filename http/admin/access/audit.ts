/** The audit: who changed what. Entries are written by the changes themselves, so there is nothing to write here. */
import * as v from 'valibot'
import { named } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { type Database, findAudit, hasAudited, listAudit } from '../../../storage/mod.ts'
import type { Violation } from '../../server/errors/api_error.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import { limit, pageOf, recordCursor } from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'
import { objectId, timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'

const kinds = ['operator', 'token', 'user', 'system'] as const

const word = v.pipe(v.string(), v.regex(/^[a-z_]{1,60}$/, 'must be lower-case letters and _'))
/** Ids of records, and numbers of dead letters. */
const anyId = v.pipe(v.string(), v.regex(/^[\w-]{1,60}$/, 'must be an id'))

const fields = v.nullable(v.record(v.string(), v.unknown()))

const record = named(
  'AuditEntry',
  v.object({
    _id: objectId,
    created_at: timestamp,
    actor: v.object({
      kind: v.pipe(v.picklist(kinds), v.description('`user` is a person in the console, `system` is Parley itself')),
      id: v.pipe(v.nullable(v.string()), v.description('The operator key, token or user; null for the root key')),
      name: v.nullable(v.string()),
    }),
    address: v.pipe(v.nullable(v.string()), v.description('The client address')),
    request_id: v.nullable(v.string()),
    action: v.pipe(v.string(), v.description('The operation, such as update_channel')),
    target: v.object({ kind: v.string(), id: v.nullable(v.string()) }),
    company_id: v.nullable(v.string()),
    project_id: v.nullable(v.string()),
    before: v.pipe(
      fields,
      v.description('The changed fields before the change, without secrets; null for a new record'),
    ),
    after: v.pipe(fields, v.description('The same after the change; null for a deleted record')),
    erased_at: v.pipe(v.nullable(timestamp), v.description('Time at which personal data was removed from the entry')),
  }),
)

const CODE = 'invalid_value'

/**
 * Refuses a word that no entry has and that is no name of an operation or of a kind of records: an empty list would look as
 * if nothing had happened.
 * @throws {Refusal} VALIDATION_ERROR
 */
async function mustBeKnown(
  database: Database,
  { action, target_kind }: { action?: string | undefined; target_kind?: string | undefined },
  operations: ReadonlySet<string>,
): Promise<void> {
  const violations: Violation[] = []
  if (action !== undefined && !operations.has(action) && !(await hasAudited(database, 'action', action))) {
    violations.push({ path: 'action', message: 'must be an operation, such as update_channel', code: CODE })
  }
  if (target_kind !== undefined && !(await hasAudited(database, 'target_kind', target_kind))) {
    violations.push({ path: 'target_kind', message: 'must be a kind of records, such as channel', code: CODE })
  }
  refuseInvalid(violations)
}

/** `operations`: the names of all operations. */
export const auditRoutes = (operations: ReadonlySet<string> = new Set()) => [
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/audit',
    operation: 'list_audit',
    summary: 'List who changed what, newest first',
    status: 200,
    query: v.pipe(
      v.strictObject({
        limit,
        cursor: recordCursor,
        actor_kind: v.optional(v.picklist(kinds, `must be one of ${kinds.join(', ')}`)),
        actor_id: v.optional(objectId),
        action: v.optional(word),
        target_kind: v.optional(word),
        target_id: v.optional(anyId),
        company_id: v.optional(objectId),
        project_id: v.optional(objectId),
        ...range,
      }),
      inOrder(),
    ),
    response: pageOf(record),
    async read({ query: { limit, cursor, ...filter } }, { database }) {
      await mustBeKnown(database, filter, operations)
      return listAudit(database, filter, { limit, cursor })
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/audit/:id',
    operation: 'get_audit_entry',
    summary: 'Get an entry of the audit',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    async read({ params }, { database }) {
      const entry = await findAudit(database, params.id)
      if (!entry) throw new Refusal('NOT_FOUND')
      return entry
    },
  }),
]
