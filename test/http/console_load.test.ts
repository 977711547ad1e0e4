/** The load of the console takes nothing from the API, whether strangers without a session or a busy page cause it. */

import t from 'tap'
import { agentRoutes } from '../../http/console/api.ts'
import { sessionRoutes } from '../../http/console/session.ts'
import { newSecret } from '../../http/server/auth/cookie.ts'
import type { Sql } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { textOf } from '../support/text_of.ts'
import { signedIn } from './agent.ts'
import { admitting, type Call, type Project, type ServerContext, startTestServer } from './test_server.ts'

/** A project that lets requests of the API in, and lets nobody try a password. */
const project: Project = (message) =>
  'token_id' in message ? admitting(message) : ({ ok: false, retry_after_s: 60 } as never)

const MANY = 40
const cookie = () => ({ cookie: `parley_session=${newSecret()}`, 'sec-fetch-site': 'same-origin' })

const asks: { what: string; table: string; path: string; call: () => Call }[] = [
  { what: 'made-up sessions', table: 'console_session', path: '/console/session', call: () => ({ headers: cookie() }) },
  {
    what: 'made-up sessions for a project',
    table: 'console_session',
    path: '/console/projects/66f2a0c1d4e5f60718293a4b/messages/bulk',
    call: () => ({ headers: cookie() }),
  },
  {
    what: 'sign-outs of made-up sessions',
    table: 'console_session',
    path: '/console/session',
    call: () => ({ method: 'DELETE', headers: cookie() }),
  },
  {
    what: 'sign-ins',
    table: '"user"',
    path: '/console/session',
    call: () => ({ method: 'POST', headers: cookie(), json: { email: 'nobody@example.com', password: 'x' } }),
  },
]

/** Locks a table for everybody else until `work` is done. */
async function locked(server: ServerContext, table: string, work: () => Promise<void>): Promise<void> {
  await server.database.em().transactional(async (em) => {
    await em.execute(`lock table ${table} in access exclusive mode`)
    await work()
  })
}

for (const { what, table, path, call } of asks) {
  t.test(`however many ${what} wait for the database, reads of the API do not wait behind them`, async (t) => {
    const server = await startTestServer(t, {
      routes: (api) => [...sessionRoutes(), ...agentRoutes(api, {} as never)],
      project,
    })
    t.equal((await server.call('/v1/contacts')).status, 200)
    let strangers: Promise<{ status: number }[]> = Promise.resolve([])
    await locked(server, table, async () => {
      strangers = Promise.all(Array.from({ length: MANY }, () => server.call(path, { token: null, ...call() })))
      await eventually('one of them waits', async () => {
        const waiting = await server.database.execute(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return waiting.length > 0
      })
      t.equal((await server.call('/v1/contacts')).status, 200)
    })
    const answers = await strangers
    t.ok(answers.every(({ status }) => [204, 401, 429, 503].includes(status)))
  })
}

t.test('a session due for renewal is not renewed by each of its simultaneous requests', async (t) => {
  const server = await startTestServer(t, { routes: sessionRoutes() })
  const cookie = await signedIn(server)
  await server.database.execute(`update console_session set used_at = used_at - interval '1 hour'`)
  const statements: string[] = []
  const { execute } = server.database
  server.database.execute = (statement: Sql | string, params?: readonly unknown[]) => {
    statements.push(textOf(statement))
    return execute<never>(statement as string, params)
  }
  const answers = await Promise.all(
    Array.from({ length: MANY }, () => server.call('/console/session', { token: null, headers: { cookie } })),
  )
  // A busy machine may refuse some.
  t.ok(answers.every(({ status }) => [200, 503].includes(status)))
  t.ok(answers.some(({ status }) => status === 200))
  const { length } = statements.filter((sql) => sql.startsWith('update console_session'))
  // A request that read the session before the end of the first renewal may renew it again.
  t.ok(length >= 1 && length <= 3, `${length} times`)
})

t.test('a client that signs in without end keeps no other client from signing in', async (t) => {
  const config = { trusted_proxies: ['127.0.0.0/8'] }
  const server = await startTestServer(t, { routes: sessionRoutes(), project, config })
  const signIn = (address: string) =>
    server.call('/console/session', {
      method: 'POST',
      token: null,
      json: { email: 'nobody@example.com', password: 'x' },
      headers: { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address },
    })
  let crowd: Promise<{ status: number }[]> = Promise.resolve([])
  let other: Promise<{ status: number }> = signIn('203.0.113.2')
  t.equal((await other).status, 429, 'no try begins in this test')
  await locked(server, '"user"', async () => {
    let refused = 0
    crowd = Promise.all(
      Array.from({ length: 100 }, async () => {
        const answer = await signIn('203.0.113.1')
        if (answer.status === 503) refused++
        return answer
      }),
    )
    await eventually('those that find no room are sent away', () => refused >= 36)
    other = signIn('203.0.113.2')
    // The answer to this read shows that the sign-in before it has reached the node.
    t.equal((await server.call('/v1/contacts')).status, 200)
  })
  t.equal((await other).status, 429)
  t.ok((await crowd).some(({ status }) => status === 429))
})

t.test('an owner of a version without agents is taken for busy, not for a lost session', async (t) => {
  // It looks for the token of the request, which has none.
  const former: Project = ({ token_id }) =>
    token_id === '' ? { admission: { ok: false, code: 'UNAUTHENTICATED' } } : ({} as never)
  const server = await startTestServer(t, { routes: (api) => agentRoutes(api, {} as never), project: former })
  const headers = { cookie: await signedIn(server), 'sec-fetch-site': 'same-origin' }
  const path = `/console/projects/${server.tenant.project._id}/crm/notes`
  const json = { content: 'Hello', ticket_id: '66f2a0c1d4e5f60718293a4b' }
  const answer = await server.call(path, { method: 'POST', token: null, headers, json })
  t.equal(answer.status, 503)
  t.ok(Number(answer.headers['retry-after']) >= 1)
  t.match(server.asked, [
    { token_id: '', agent: { user_id: server.tenant.user._id }, command: { type: 'create_note' } },
  ])
})
