import * as v from 'valibot'
import { exampleIds, named, scopes } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  changeToken,
  generateTokenSecret,
  listTokens,
  newDate,
  now,
  type Project,
  revokeToken,
  storeToken,
  Token,
  tokenStatus,
  type User,
} from '../../../storage/mod.ts'
import { search } from '../../server/schema/fields.ts'
import { instant, instantQuery } from '../../server/schema/instant.ts'
import { name, objectId, recordList, recordsOf, timestamp } from '../fields.ts'
import { once } from '../once.ts'
import { refreshProject } from '../operations/refresh.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'

const permission = 'developer.manage_tokens'

const MAX_SCOPES = 200

const scopeList = v.pipe(
  v.array(v.picklist(scopes, `must be one of ${scopes.join(', ')}`), 'must be a list of scopes'),
  v.maxLength(MAX_SCOPES, `must have at most ${MAX_SCOPES} scopes`),
  v.transform((list) => [...new Set(list)]),
)
const expiry = v.nullable(
  v.pipe(
    instant,
    v.transform((text) => new Date(text)),
    v.check((end) => end.getTime() > now(), 'must be in the future; null is for a token that does not expire'),
  ),
)

const status = v.picklist(['active', 'revoked', 'expired'])

const record = named(
  'Token',
  v.object({
    _id: objectId,
    company_id: objectId,
    project_id: objectId,
    user_id: objectId,
    name: v.string(),
    prefix: v.string(),
    scopes: v.array(v.string()),
    status,
    expires_at: v.nullable(timestamp),
    revoked_at: v.nullable(timestamp),
    last_used_at: v.nullable(timestamp),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show(token: Token) {
  return {
    _id: token._id,
    company_id: token.company_id,
    project_id: token.project_id,
    user_id: token.user_id,
    name: token.name,
    prefix: token.prefix,
    scopes: token.scopes,
    status: tokenStatus(token, newDate()),
    expires_at: token.expires_at ?? null,
    revoked_at: token.revoked_at ?? null,
    last_used_at: token.last_used_at ?? null,
    created_at: token.created_at,
    updated_at: token.updated_at,
  }
}

export const tokenRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/tokens',
    operation: 'create_token',
    example: {
      body: {
        project_id: exampleIds.project,
        user_id: exampleIds.user,
        name: 'Shop',
        scopes: ['messages:read', 'messages:write'],
      },
    },
    summary: 'Create an access token for a user; only this answer shows the token itself',
    status: 201,
    body: v.strictObject({
      project_id: objectId,
      user_id: objectId,
      name,
      scopes: scopeList,
      expires_at: v.optional(expiry),
    }),
    response: v.object({ ...record.entries, token: v.string() }),
    errors: ['PROJECT_NOT_FOUND', 'USER_NOT_FOUND', 'USER_NOT_IN_COMPANY', 'USER_INACTIVE', 'USER_LACKS_PERMISSION'],
    answers_secret: true,
    async change({ body }, context) {
      const { token: secret, prefix, hash } = generateTokenSecret()
      const row = { ...body, prefix, hash }
      const showWithSecret = (row: Token) => ({ ...show(row), token: secret })
      const token = await explained(
        once(context, (database) => storeToken(database, row, mayHoldTokens), showWithSecret),
      )
      // The project's actor keeps its tokens in memory: tell it about the new one before it is used.
      await refreshProject(context, token.project_id, 'token', token._id)
      return showWithSecret(token)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/tokens',
    operation: 'list_tokens',
    summary: 'List tokens, newest first; revoked and expired ones are included',
    status: 200,
    query: recordList({
      project_id: v.optional(objectId),
      user_id: v.optional(objectId),
      status: v.optional(status),
      search,
      unused_since: v.optional(instantQuery),
    }),
    response: recordsOf(record),
    async read({ query: { limit, offset, cursor, ...filter } }, { database }) {
      const { data, ...found } = await listTokens(database, filter, { limit, offset, cursor })
      return { ...found, data: data.map(show), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/tokens/:id',
    operation: 'get_token',
    summary: 'Get a token',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, Token, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/tokens/:id',
    operation: 'update_token',
    example: { body: { name: 'Shop, read only', scopes: ['messages:read'] } },
    summary: 'Rename a token or change its scopes or its end; applies from the next request on',
    status: 200,
    body: v.strictObject({
      name: v.optional(name),
      scopes: v.optional(scopeList),
      expires_at: v.optional(expiry),
    }),
    response: record,
    errors: ['NOT_FOUND', 'TOKEN_REVOKED'],
    async change({ params, body }, context) {
      const token = await explained(changeToken(context.database, params.id, body))
      await refreshProject(context, token.project_id, 'token', token._id)
      return show(token)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/tokens/:id',
    operation: 'revoke_token',
    summary: 'Revoke a token; it has stopped working on every node when the answer comes',
    status: 204,
    errors: ['NOT_FOUND'],
    async change({ params }, context) {
      const { _id, project_id } = await findRecord(context.database, Token, params.id)
      const revoking = explained(revokeToken(context.database, _id))
      // A repeat after a lost answer finds the token revoked, and the project may not know it yet.
      await revoking.catch(() => {})
      await refreshProject(context, project_id, 'token', _id)
      await revoking
    },
  }),
]

function mayHoldTokens(user: User, project: Project): void {
  const details = { user_id: user._id }
  if (user.company_id !== project.company_id) throw new Refusal('USER_NOT_IN_COMPANY', { details })
  if (!user.is_active) throw new Refusal('USER_INACTIVE', { details })
  if (!user.permissions.includes(permission)) {
    throw new Refusal('USER_LACKS_PERMISSION', { details: { ...details, permission } })
  }
}
