/** Signing out without a session: anybody may invent a cookie. */
import t from 'tap'
import { sessionRoutes } from '../../http/console/session.ts'
import { newSecret } from '../../http/server/auth/cookie.ts'
import { startTestServer } from './test_server.ts'

t.test('a client that makes up cookies is refused after some', async (t) => {
  const server = await startTestServer(t, { config: { address_people: 10 }, routes: sessionRoutes() })
  const signOut = async (cookie?: string) => {
    const headers: Record<string, string> = { 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }) }
    return server.call('/console/session', { method: 'DELETE', headers, token: null })
  }
  const statuses = []
  for (let n = 0; n < 17; n++) statuses.push((await signOut(`parley_session=${newSecret()}`)).status)
  t.strictSame(statuses, [...Array(15).fill(204), 429, 429])
  const refused = await signOut(`parley_session=${newSecret()}`)
  t.match(refused, { body: { error: { code: 'THROTTLED' } }, headers: { 'retry-after': /^\d+$/ } })
  t.equal((await signOut()).status, 204, 'without a cookie there is nothing to look for')
})
