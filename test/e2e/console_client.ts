/** The console over HTTP, called as its page calls it. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../../http/app/settings/mod.ts'
import { hashPassword } from '../../storage/mod.ts'
import { plainQuery } from '../support/mod.ts'
import { type Answer, type Call, type Json, patiently } from './client.ts'
import { made, type Outside } from './fixture.ts'

export const PASSWORD = 'correct horse battery'

/** The headers that a browser adds to a request of our own page. */
export const ownPage = ({ base_url }: { base_url: string }) => ({ origin: base_url, 'sec-fetch-site': 'same-origin' })

/**
 * A hash of `PASSWORD` that is checked like every other. It names a cost of its own, `N`, because most tests are not
 * about passwords, and the cost that the product takes is 150 ms for each agent and again for each sign-in.
 */
export const lightHash = (N = 2): Promise<string> => hashPassword(PASSWORD, { N, r: 8, p: 1 })

/** `config`: that of the nodes, where the test has made it. */
export type Place = Pick<Outside, 'operator'> & { config?: Pick<Config, 'database_url'> }

/**
 * Makes a user who may sign in, unless `fields` say otherwise. A password among `fields` is hashed by the product, and so
 * is that of a world whose database is unknown.
 */
export async function makeAgent(
  { operator, config }: Place,
  { company_id }: { company_id: string },
  fields: Json = {},
): Promise<Json> {
  const user = {
    company_id,
    full_name: 'Ana Agent',
    email: `agent-${randomUUID()}@example.com`,
    permissions: ['console.agent'],
    ...fields,
  }
  const url = config?.database_url
  if (!url || 'password' in user) return made(operator('POST', 'users', { password: PASSWORD, ...user }))
  const agent = await made(operator('POST', 'users', user))
  await plainQuery(url, `update "user" set password_hash = '${await lightHash()}' where _id = '${agent._id}'`)
  return { ...agent, has_password: true }
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
