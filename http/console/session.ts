/** Signs in to the console, shows who is signed in, signs out. */
import * as v from 'valibot'
import { maxCharacters, minCharacters, named, timestamp } from '../../actors/mod.ts'
import { Refusal, type Runtime } from '../../runtime/mod.ts'
import {
  type AgentRecord,
  actingFor,
  beginSession,
  ChangeRefused,
  changeOwnPassword,
  type Database,
  endSession,
  findAgent,
  hashPassword,
  type Origin,
} from '../../storage/mod.ts'
import { clearedCookieLine, cookieLine, hashOf, newSecret } from '../server/auth/cookie.ts'
import { saySessionsOver } from '../server/auth/session_over.ts'
import { inOneHistory } from '../server/changes/history_guard.ts'
import { ReadLimiter } from '../server/limits/read_limiter.ts'
import { ResponseWithHeaders } from '../server/route/response_with_headers.ts'
import type { RequestContext, Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { SignInLimiter } from './sign_in_limiter.ts'

const words = v.pipe(v.string(), minCharacters(1))
const credentials = v.strictObject({
  email: v.pipe(words, maxCharacters(254)),
  password: v.pipe(words, maxCharacters(200)),
})

const passwords = v.strictObject({
  current_password: v.pipe(words, maxCharacters(200)),
  new_password: v.pipe(v.string(), minCharacters(8), maxCharacters(200)),
})

const namedRecord = v.object({ _id: v.string(), name: v.string() })
export const sessionSchema = named(
  'Session',
  v.object({
    user: v.object({
      _id: v.string(),
      full_name: v.string(),
      email: v.string(),
      permissions: v.array(v.string()),
    }),
    company: namedRecord,
    projects: v.array(namedRecord),
    expires_at: timestamp,
  }),
)

/** Maximum sessions being ended at once: anyone may request it with a made-up cookie, so it gets few connections. */
const MAX_ENDS = 2

const common = { path: '/console/session', pool: 'exempt' } as const

export function sessionRoutes(): Route[] {
  const limiter = new SignInLimiter()
  const ends = new ReadLimiter(MAX_ENDS)
  /** Returns true when there was one. `check` may throw when its turn has come. */
  const end = async (database: Database, runtime: Runtime, hash: string, check = () => {}): Promise<boolean> => {
    const is_ended = await ends.run(() => {
      check()
      return inOneHistory(database, () => endSession(database, hash))
    })
    if (is_ended) saySessionsOver(runtime, [hash])
    return is_ended
  }
  return [
    route({
      ...common,
      method: 'POST',
      auth: 'none',
      of_console: true,
      counted_as: 'sign_in',
      operation: 'sign_in',
      summary: 'Sign in to the console; the answer sets the cookie of the session',
      body: credentials,
      status: 201,
      response: sessionSchema,
      errors: ['UNAUTHENTICATED', 'SIGN_IN_THROTTLED'],
      async change({ body }, context) {
        const { database, runtime, page } = context
        const { address, session_hash, is_secure } = page!
        const { user_id, password_hash } = await limiter.admit(database, runtime, body, address)
        const secret = newSecret()
        const begun = await beginSession(actingFor(database, originOf(context, 'sign_in')), {
          hash: hashOf(secret),
          user_id,
          password_hash,
        })
        const agent = begun && (await findAgent(database, user_id))
        if (!agent) throw new Refusal('UNAUTHENTICATED')
        // The browser stores only one session.
        if (session_hash !== undefined) await end(database, runtime, session_hash)
        return new ResponseWithHeaders(show(agent, begun.expires_at), cookieLine(secret, is_secure))
      },
    }),
    route({
      ...common,
      method: 'GET',
      auth: 'agent',
      operation: 'get_session',
      summary: 'Who is signed in, and the projects there are to work in',
      status: 200,
      response: sessionSchema,
      async read(_, { database, user_id, session }) {
        const agent = await findAgent(database, user_id)
        if (!agent) throw new Refusal('UNAUTHENTICATED')
        return show(agent, session!.expires_at)
      },
    }),
    route({
      ...common,
      path: '/console/password',
      method: 'PUT',
      auth: 'agent',
      operation: 'change_own_password',
      summary: 'Change the own password; other sessions of the user end',
      body: passwords,
      status: 204,
      errors: ['SIGN_IN_THROTTLED'],
      async change({ body: { current_password: password, new_password } }, context) {
        const { database, runtime, user_id, session, page } = context
        const agent = await findAgent(database, user_id)
        if (!agent) throw new Refusal('UNAUTHENTICATED')
        // Whoever sits at an open page guesses no faster than at the form.
        const { password_hash: former_hash } = await limiter
          .admit(database, runtime, { email: agent.user.email, password }, page!.address)
          .catch((error) => {
            throw error instanceof Refusal && error.code === 'UNAUTHENTICATED' ? wrongPassword() : error
          })
        const password_hash = await hashPassword(new_password)
        const session_hash = session!.hash
        try {
          const hashes = { former_hash, password_hash, session_hash }
          saySessionsOver(runtime, await changeOwnPassword(database, user_id, hashes))
        } catch (error) {
          throw error instanceof ChangeRefused ? wrongPassword() : error
        }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      auth: 'none',
      of_console: true,
      operation: 'sign_out',
      summary: 'Sign out; without a session it only clears the cookie',
      status: 204,
      async change(_, context) {
        const { runtime, page, stranger } = context
        const { session_hash, is_secure } = page!
        const database = actingFor(context.database, originOf(context, 'sign_out'))
        if (session_hash !== undefined) {
          const check = () => stranger!.check('unauthenticated')
          if (!(await end(database, runtime, session_hash, check))) stranger!.count('unauthenticated')
        }
        return new ResponseWithHeaders(undefined, clearedCookieLine(is_secure))
      },
    }),
  ]
}

function wrongPassword(): Refusal {
  const violations = [{ path: 'current_password', message: 'is not the present password', code: 'invalid_value' }]
  return new Refusal('VALIDATION_ERROR', { details: { violations } })
}

/** The user becomes known with the session. */
export function originOf({ page, request_id }: RequestContext, action: string): Origin {
  return { actor_kind: 'user', actor_id: null, actor_name: null, address: page!.address, request_id, action }
}

/** An agent with the end of the session, as the page receives it. */
export function show(agent: AgentRecord, expires_at: Date) {
  return { ...agent, expires_at }
}
