/** The console over HTTP, called as its page calls it. */
import { randomUUID } from 'node:crypto'
import { type Answer, type Call, type Json, patiently } from './client.ts'
import { made, type Outside } from './fixture.ts'

export const PASSWORD = 'correct horse battery'

/** The headers that a browser adds to a request of our own page. */
export const ownPage = ({ base_url }: { base_url: string }) => ({ origin: base_url, 'sec-fetch-site': 'same-origin' })

/** Makes a user who may sign in, unless `fields` say otherwise. */
export function makeAgent(
  world: Pick<Outside, 'operator'>,
  { company_id }: { company_id: string },
  fields: Json = {},
): Promise<Json> {
  const user = {
    company_id,
    full_name: 'Ana Agent',
    email: `agent-${randomUUID()}@example.com`,
    password: PASSWORD,
    permissions: ['console.agent'],
  }
  return made(world.operator('POST', 'users', { ...user, ...fields }))
}

export type Where = Pick<Outside, 'http' | 'base_url'>

export function trySignIn(where: Where, json: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return where.http('POST', `${where.base_url}/console/session`, { json, headers: { ...ownPage(where), ...headers } })
}

export type Console = {
  cookie: string
  session: Json
  /** Calls `path` below `/console`. */
  call(method: string, path: string, call?: Call): Promise<Answer>
}

export async function signIn(
  where: Where,
  { email }: { email: string },
  password = PASSWORD,
  headers: Record<string, string> = {},
): Promise<Console> {
  const answer = await patiently(() => trySignIn(where, { email, password }, headers))
  const session = await made(Promise.resolve(answer))
  const cookie = cookieOf(answer)
  return {
    cookie,
    session,
    call: (method, path, call) =>
      where.http(method, `${where.base_url}/console/${path}`, {
        ...call,
        headers: { ...(method === 'GET' ? {} : ownPage(where)), cookie, ...call?.headers },
      }),
  }
}

/** Returns the cookie as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';')[0]!
}
