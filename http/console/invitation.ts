/** An invited user chooses the first password and is signed in. */
import * as v from 'valibot'
import { maxCharacters, minCharacters } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  acceptInvitation,
  actingFor,
  beginSession,
  ChangeRefused,
  findAgent,
  findInvited,
  hashPassword,
} from '../../storage/mod.ts'
import { cookieLine, hashOf, newSecret } from '../server/auth/cookie.ts'
import { inOneHistory } from '../server/changes/history_guard.ts'
import { ReadLimiter } from '../server/limits/read_limiter.ts'
import { ResponseWithHeaders } from '../server/route/response_with_headers.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { originOf, sessionSchema, show } from './session.ts'

/** Maximum acceptances at once: anyone may try with a made-up link, so they get few connections and threads. */
const MAX_ACCEPTANCES = 2

const body = v.strictObject({
  token: v.pipe(v.string(), v.regex(/^[\w-]{43}$/, 'must be the part of the link behind #/invitation/')),
  password: v.pipe(v.string(), minCharacters(8), maxCharacters(200)),
})

export function invitationAcceptanceRoute(): Route {
  const acceptances = new ReadLimiter(MAX_ACCEPTANCES)
  return route({
    method: 'POST',
    path: '/console/invitation',
    pool: 'exempt',
    auth: 'none',
    of_console: true,
    counted_as: 'sign_in',
    operation: 'accept_invitation',
    summary: 'Choose the first password with the token of an invitation; the answer sets the cookie of the session',
    body,
    status: 201,
    response: sessionSchema,
    errors: ['INVITATION_NOT_FOUND'],
    change: ({ body: { token, password } }, context) =>
      acceptances.run(async () => {
        const { page, stranger } = context
        stranger?.check('unauthenticated')
        const hash = hashOf(token)
        const user = await findInvited(context.database, hash)
        if (!user) {
          stranger?.count('unauthenticated')
          throw new Refusal('INVITATION_NOT_FOUND')
        }
        const user_id = user._id
        const password_hash = await hashPassword(password)
        const origin = { ...originOf(context, 'accept_invitation'), actor_id: user_id, actor_name: user.full_name }
        const secret = newSecret()
        const begun = await inOneHistory(context.database, async () => {
          await acceptInvitation(actingFor(context.database, origin), { user_id, hash, password_hash })
          return beginSession(context.database, { hash: hashOf(secret), user_id, password_hash })
        }).catch((error) => {
          throw error instanceof ChangeRefused ? new Refusal('INVITATION_NOT_FOUND') : error
        })
        const agent = begun && (await findAgent(context.database, user_id))
        if (!agent) throw new Refusal('INVITATION_NOT_FOUND')
        return new ResponseWithHeaders(show(agent, begun.expires_at), cookieLine(secret, page!.is_secure))
      }, context.page!.address),
  })
}
