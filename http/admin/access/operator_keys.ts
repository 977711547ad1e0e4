/** Keys of the operator API, beside the one of the settings. */
import * as v from 'valibot'
import { named } from '../../../actors/mod.ts'
import { generateOperatorKey, OperatorKey, revokeOperatorKey, storeOperatorKey } from '../../../storage/mod.ts'
import { operatorRoles } from '../../server/route/operator_role.ts'
import { name, objectId, timestamp } from '../fields.ts'
import { once } from '../once.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained } from '../records.ts'
import { resource } from '../resource.ts'

/** Names that the audit gives to PARLEY_OPERATOR_KEY and to commands that work on the database. */
const RESERVED = ['root', 'command line']

/**
 * The name by which the audit knows the bearer. Names that look the same are the same: invisible characters are refused,
 * blanks count once.
 */
const bearer = v.pipe(
  name,
  v.check((text) => !/[\p{Cc}\p{Cf}]/u.test(text), 'must have no control and no invisible characters'),
  v.transform((text) => text.replace(/\s+/g, ' ')),
  v.check(
    (text) => !RESERVED.includes(text.toLowerCase()),
    `must not be ${RESERVED.join(' or ')}, which the audit uses itself`,
  ),
)

const role = v.picklist(operatorRoles, `must be one of ${operatorRoles.join(', ')}`)

const record = named(
  'OperatorKey',
  v.object({
    _id: objectId,
    name: v.string(),
    role,
    prefix: v.string(),
    status: v.picklist(['active', 'revoked']),
    last_used_at: v.pipe(v.nullable(timestamp), v.description('Exact to a minute')),
    revoked_at: v.nullable(timestamp),
    created_at: timestamp,
  }),
)

function show({ _id, name, role, prefix, last_used_at, revoked_at, created_at }: OperatorKey) {
  const status: 'active' | 'revoked' = revoked_at ? 'revoked' : 'active'
  return {
    _id,
    name,
    role,
    prefix,
    status,
    last_used_at: last_used_at ?? null,
    revoked_at: revoked_at ?? null,
    created_at,
  }
}

export const operatorKeyRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/operator-keys',
    operation: 'create_operator_key',
    example: { body: { name: 'support desk', role: 'support' } },
    summary: 'Create a key of the operator API; only this answer shows the key itself',
    status: 201,
    body: v.strictObject({ name: bearer, role }),
    response: v.object({ ...record.entries, key: v.string() }),
    errors: ['OPERATOR_KEY_ALREADY_EXISTS'],
    answers_secret: true,
    async change({ body }, context) {
      const { token: key, prefix, hash } = generateOperatorKey()
      const showWithKey = (row: OperatorKey) => ({ ...show(row), key })
      const row = { ...body, prefix, hash }
      return showWithKey(await explained(once(context, (database) => storeOperatorKey(database, row), showWithKey)))
    },
  }),
  ...resource({
    path: '/admin/v1/operator-keys',
    entity: OperatorKey,
    record,
    show,
    list: {
      operation: 'list_operator_keys',
      summary: 'List keys of the operator API, newest first; revoked ones are included',
      filter: { role: v.optional(role) },
    },
    get: { operation: 'get_operator_key', summary: 'Get a key of the operator API' },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/operator-keys/:id',
    operation: 'revoke_operator_key',
    summary: 'Revoke a key of the operator API; it opens nothing from the next request on',
    status: 204,
    errors: ['NOT_FOUND'],
    change: async ({ params }, { database }) => void (await explained(revokeOperatorKey(database, params.id))),
  }),
]
