/** The public keys with which deliveries are signed. */
import * as v from 'valibot'
import { jwkOf, plainIdPattern, signingKeyRecord, toSigningKeyRecord } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { listWebhookKeys } from '../../../storage/mod.ts'
import { ReadLimiter } from '../../server/limits/read_limiter.ts'
import { ResponseWithHeaders } from '../../server/route/response_with_headers.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { offset, pageAmong, uncountedPageOf, wholeLimit } from '../../server/schema/fields.ts'
import { graceSeconds } from './fields.ts'
import { manages, reads } from './places.ts'

const jwk = v.object({
  kty: v.literal('OKP'),
  crv: v.literal('Ed25519'),
  x: v.string(),
  kid: v.string(),
  use: v.literal('sig'),
  alg: v.literal('EdDSA'),
})

export function signingKeyRoutes(): Route[] {
  // Strangers read one at a time.
  const strangers = new ReadLimiter(1)
  return [
    route({
      ...reads,
      method: 'GET',
      path: '/v1/webhooks/signing-keys',
      operation: 'list_webhook_signing_keys',
      summary: 'List the public Ed25519 keys with which deliveries are signed where ed25519 is set',
      query: v.strictObject({ limit: wholeLimit, offset }),
      status: 200,
      response: uncountedPageOf(signingKeyRecord),
      read: async ({ query: page }, { database, project_id }) =>
        pageAmong((await listWebhookKeys(database, project_id)).map(toSigningKeyRecord), page),
    }),
    route({
      ...manages,
      method: 'POST',
      path: '/v1/webhooks/signing-keys/rotate',
      operation: 'rotate_webhook_signing_key',
      audited: true,
      summary: 'Replace the Ed25519 key; the former one is no longer used, or signs too for grace_s seconds',
      body: v.strictObject({ grace_s: v.optional(graceSeconds) }),
      optional_body: true,
      status: 200,
      response: signingKeyRecord,
      command: ({ body }) => ({ type: 'rotate_webhook_signing_key', ...body }),
    }),
    route({
      method: 'GET',
      path: '/v1/projects/:id/jwks.json',
      operation: 'get_webhook_jwks',
      summary: 'Get the public keys of a project as a JSON Web Key Set; no token is needed',
      auth: 'none',
      counted_as: 'page',
      pool: 'exempt',
      params: { id: plainIdPattern },
      errors: ['NOT_FOUND'],
      status: 200,
      response: v.object({ keys: v.array(jwk) }),
      async read({ params }, { database }) {
        const keys = await strangers.run(() => listWebhookKeys(database, params.id))
        if (keys.length === 0) throw new Refusal('NOT_FOUND')
        return new ResponseWithHeaders(
          { keys: keys.map((key) => jwkOf(toSigningKeyRecord(key))) },
          'Cache-Control: public, max-age=300\r\n',
        )
      },
    }),
  ]
}
