import t from 'tap'
import { AccessLog } from '../../http/server/access_log.ts'
import { createLog } from '../../http/server/log.ts'
import type { CompiledRoute } from '../../http/server/route/compiled_route.ts'
import { startTestServer } from './test_server.ts'

type Line = Record<string, unknown>

/** Returns a log, and a function that returns the lines written since its last call. */
function keptLog() {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const take = () => lines.splice(0).map((line) => JSON.parse(line) as Line)
  return { log, take }
}

/** Waits until the log has a line for which `is` holds. */
async function lineOf(take: () => Line[], is: (line: Line) => boolean): Promise<Line> {
  for (;;) {
    const found = take().find(is)
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const CHANNEL = '66f2a0c1d4e5f60718293a4b'

t.test('without the setting no request has a line', async (t) => {
  const { log, take } = keptLog()
  const { call } = await startTestServer(t, { log })
  t.equal((await call('/v1/me')).status, 200)
  t.equal((await call('/v1/me', { token: null })).status, 401)
  t.strictSame(take(), [])
})

t.test('all: a line has ids and figures, and no text of the client', async (t) => {
  const { log, take } = keptLog()
  const { call, tenant } = await startTestServer(t, { log, config: { access_log: 'all' } })
  const { headers } = await call('/v1/me', { headers: { 'x-request-id': 'mine-7' } })
  t.equal(headers['x-request-id'], 'mine-7')
  const [served, ...others] = take()
  t.strictSame(others, [])
  const { time, ms, ...rest } = served!
  t.match(time, /^\d{4}-.*Z$/)
  t.ok(Number(ms) >= 0)
  t.strictSame(rest, {
    level: 'info',
    request_id: 'mine-7',
    method: 'GET',
    route: '/v1/me',
    status: 200,
    project_id: tenant.project._id,
    node: 'node-of-the-test',
    msg: 'request',
  })

  await call('/v1/messages/a-secret-path?search=hunter2')
  const [refused] = take()
  t.match(refused, { route: '/v1/messages/:id', status: 400, project_id: tenant.project._id })
  t.notMatch(JSON.stringify(refused), /a-secret-path|hunter2/)

  const { headers: made } = await call('/v1/me', { token: null, headers: { 'x-request-id': 'two words' } })
  const [stranger] = take()
  t.match(stranger, { status: 401, request_id: made['x-request-id'] })
  t.notOk('project_id' in stranger!)

  await call('/health', { token: null })
  t.match(take(), [{ route: '/health', status: 200 }])
})

t.test('the call of a provider has a line with its channel', async (t) => {
  const { log, take } = keptLog()
  const { call } = await startTestServer(t, { log, config: { access_log: 'all' } })
  const options = { method: 'POST', raw: '{}', token: null }
  const { headers } = await call(`/providers/telegram/${CHANNEL}`, options)
  const [taken] = take()
  t.match(taken, { method: 'POST', status: 200, channel_id: CHANNEL, request_id: headers['x-request-id'] })
  t.match(taken!.route, /^\/providers\/:?\w+\/:channel_id$/)
  await call('/providers/telegram/a-text-of-a-stranger', options)
  const [unknown] = take()
  t.match(unknown, { status: 404 })
  t.notMatch(JSON.stringify(unknown), /a-text-of-a-stranger/)
})

t.test('errors: only refused requests have a line', async (t) => {
  const { log, take } = keptLog()
  const { call } = await startTestServer(t, { log, config: { access_log: 'errors' } })
  await call('/v1/me')
  t.strictSame(take(), [])
  await call('/v1/me', { token: null })
  await call('/nothing/of/ours')
  t.match(take(), [{ status: 401 }, { status: 404 }])
})

t.test('strangers cannot fill the log, and leave room for tenants', async (t) => {
  const { log, take } = keptLog()
  const { call, tenant } = await startTestServer(t, { log, config: { access_log: 'errors', address_people: 100_000 } })
  const strangers = Array.from({ length: 1000 }, () => call('/v1/me', { token: null }))
  await Promise.all(strangers)
  await call('/v1/messages/unknown')
  const lines: Line[] = []
  await lineOf(
    () => {
      const more = take()
      lines.push(...more)
      return more
    },
    ({ left_out }) => Number(left_out) > 0,
  )
  const left_out = lines.filter((line) => 'left_out' in line)
  t.match(left_out[0], { level: 'info', kind: 'stranger', node: 'node-of-the-test' })
  t.ok(lines.some((line) => line.project_id === tenant.project._id && line.status === 404))
  t.ok(lines.length < 1000, 'most have none')
})

t.test('a project whose requests are refused leaves room for the lines of the others', async (t) => {
  const { log, take } = keptLog()
  const access_log = new AccessLog('errors', log, 'n1')
  const compiled_route = { metrics: { labels: { method: 'GET', route: '/v1/me' } } } as CompiledRoute
  const note = (project_id: string) =>
    access_log.note({ request_id: 'r', compiled_route, status: 422, ms: 1, project_id, is_known: true, params: {} })
  for (let i = 0; i < 2000; i++) note('loud')
  note('quiet')
  const lines = take()
  t.ok(lines.some(({ project_id }) => project_id === 'quiet'))
  t.ok(lines.length <= 301, `${lines.length} lines`)
  const left_out = await lineOf(take, (line) => 'left_out' in line)
  t.match(left_out, { kind: 'refused', projects: ['loud'], node: 'n1' })
})
