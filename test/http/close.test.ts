import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { startTestServer, windows } from './test_server.ts'

t.test('closing lets requests under way finish and drops idle sockets', async (t) => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: limiter, resolve: open } = Promise.withResolvers<void>()
  const server = await startTestServer(t, {
    peek: false,
    async project() {
      reach()
      await limiter
      return { admission: { ok: true, windows }, result: { json: '{}' } }
    },
  })
  const idle = connect(server.port, '127.0.0.1')
  await once(idle, 'connect')
  const idle_closed = once(idle, 'close')
  idle.on('error', () => {})

  const under_way = server.call('/v1/me')
  await reached
  const closed = server.server.close()
  t.equal(await server.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n', /\r\n\r\n/), '', 'no new connection')
  open()
  const answer = await under_way
  t.equal(answer.status, 200)
  t.equal(answer.headers.connection, 'close')
  await closed
  await idle_closed
})

t.test('closing waits no longer than its deadline', async (t) => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const server = await startTestServer(t, {
    peek: false,
    config: { close_deadline_ms: 30 },
    project() {
      reach()
      return new Promise(() => {})
    },
  })
  const hanging = t.rejects(server.call('/v1/me'))
  await reached
  await server.server.close()
  await hanging
})

t.test('a start on a port in use says so', async (t) => {
  const { port } = await startTestServer(t)
  await t.rejects(startTestServer(t, { config: { port } }), /in use/)
})
