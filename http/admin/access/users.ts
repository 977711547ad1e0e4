import * as v from 'valibot'
import { email, exampleIds, maxCharacters, minCharacters, named } from '../../../actors/mod.ts'
import {
  changeUser,
  hashPassword,
  listSessionsOf,
  listTokensOfUser,
  removeUser,
  storeUser,
  User,
} from '../../../storage/mod.ts'
import { saySessionsOver } from '../../server/auth/session_over.ts'
import { photoPath } from '../../server/files/photo_path.ts'
import type { RequestContext } from '../../server/route/route.ts'
import { flagQuery, search } from '../../server/schema/fields.ts'
import { flag, name, objectId, timestamp } from '../fields.ts'
import { once } from '../once.ts'
import { refreshCompany, refreshProject } from '../operations/refresh.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'
import { resource } from '../resource.ts'
import { photoField, photoOf } from './user_photo.ts'

const password = v.nullable(
  v.pipe(v.string('must be a string, or null for a user who cannot sign in'), minCharacters(8), maxCharacters(200)),
)
const permissions = v.pipe(
  v.array(
    v.pipe(
      v.string('must be a string'),
      maxCharacters(100),
      v.regex(/^[a-z_]+(\.[a-z_]+)+$/, 'must be a permission such as developer.manage_tokens or console.agent'),
    ),
    'must be a list of permissions',
  ),
  v.maxLength(100, 'must have at most 100 permissions'),
  v.transform((list) => [...new Set(list)]),
)

const record = named(
  'User',
  v.object({
    _id: objectId,
    company_id: objectId,
    full_name: v.string(),
    email: v.string(),
    has_password: v.boolean(),
    permissions: v.array(v.string()),
    is_active: v.boolean(),
    photo_url: v.pipe(v.nullable(v.string()), v.description('Path of the photo at this host')),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show(user: User) {
  return {
    _id: user._id,
    company_id: user.company_id,
    full_name: user.full_name,
    email: user.email,
    has_password: Boolean(user.password_hash),
    permissions: user.permissions,
    is_active: user.is_active,
    photo_url: photoPath(user.photo_sha256),
    created_at: user.created_at,
    updated_at: user.updated_at,
  }
}

export const userRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/users',
    operation: 'create_user',
    example: {
      body: {
        company_id: exampleIds.company,
        full_name: 'Luis Vega',
        email: 'luis@example.com',
        permissions: ['developer.manage_tokens'],
      },
    },
    summary: 'Create a user of a company',
    status: 201,
    body: v.strictObject({
      company_id: objectId,
      full_name: name,
      email,
      password: v.optional(password),
      permissions: v.optional(permissions, []),
      is_active: v.optional(flag, true),
    }),
    response: record,
    errors: ['COMPANY_NOT_FOUND', 'USER_ALREADY_EXISTS'],
    async change({ body: { password, ...fields } }, context) {
      const password_hash = password ? await hashPassword(password) : null
      const user = await explained(once(context, (database) => storeUser(database, { ...fields, password_hash }), show))
      await refreshCompany(context, user.company_id, 'crm')
      return show(user)
    },
  }),
  ...resource({
    path: '/admin/v1/users',
    entity: User,
    record,
    show,
    list: {
      operation: 'list_users',
      summary: 'List users, newest first; search matches any part of a name or e-mail address',
      filter: {
        company_id: v.optional(objectId),
        email: v.optional(v.pipe(email, v.description('The whole address, in any case'))),
        is_active: v.optional(flagQuery),
        search,
      },
    },
    get: { operation: 'get_user', summary: 'Get a user' },
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/users/:id',
    operation: 'update_user',
    example: { body: { full_name: 'Luis Vega' } },
    summary:
      'Change a user; the tokens of a deactivated user stop working at once, and so do sessions of the console of one who gets another password or is no agent any more',
    status: 200,
    body: v.strictObject({
      full_name: v.optional(name),
      email: v.optional(email),
      password: v.optional(password),
      permissions: v.optional(permissions),
      is_active: v.optional(flag),
      photo: v.optional(photoField),
    }),
    response: record,
    errors: ['NOT_FOUND', 'USER_ALREADY_EXISTS'],
    async change({ params, body: { password, photo: picture, ...fields } }, context) {
      const hashed = password === undefined ? {} : { password_hash: password && (await hashPassword(password)) }
      const photo = picture ? photoOf(picture) : picture === null ? null : undefined
      const { user, ended } = await explained(changeUser(context.database, params.id, { ...fields, ...hashed, photo }))
      saySessionsOver(context.runtime, ended)
      await refreshTokensOf(context, user._id)
      await refreshCompany(context, user.company_id, 'crm')
      return show(user)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/users/:id',
    operation: 'delete_user',
    summary: 'Delete a user who holds no live token and is assigned to no open ticket',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
    async change({ params }, context) {
      const { database, runtime } = context
      const { _id, company_id } = await findRecord(database, User, params.id)
      const over = await listSessionsOf(database, _id)
      await explained(removeUser(database, _id))
      saySessionsOver(runtime, over)
      await refreshCompany(context, company_id, 'crm')
    },
  }),
]

async function refreshTokensOf(context: RequestContext, user_id: string): Promise<void> {
  const tokens = await listTokensOfUser(context.database, user_id)
  await Promise.all(tokens.map(({ token_id, project_id }) => refreshProject(context, project_id, 'token', token_id)))
}
