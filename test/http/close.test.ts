import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { startFront, windows } from './front.ts'

t.test('closing lets requests under way finish and drops idle sockets', async (t) => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const front = await startFront(t, {
    peek: false,
    async project() {
      reach()
      await gate
      return { admission: { ok: true, windows }, result: { json: '{}' } }
    },
  })
  const idle = connect(front.port, '127.0.0.1')
  await once(idle, 'connect')
  const idle_closed = once(idle, 'close')
  idle.on('error', () => {})

  const under_way = front.call('/v1/me')
  await reached
  const closed = front.server.close()
  t.equal(await front.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n', /\r\n\r\n/), '', 'no new connection')
  open()
  const answer = await under_way
  t.equal(answer.status, 200)
  t.equal(answer.headers.connection, 'close')
  await closed
  await idle_closed
})

t.test('closing waits no longer than its deadline', async (t) => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const front = await startFront(t, {
    peek: false,
    config: { close_deadline_ms: 30 },
    project() {
      reach()
      return new Promise(() => {})
    },
  })
  const hanging = t.rejects(front.call('/v1/me'))
  await reached
  await front.server.close()
  await hanging
})

t.test('a port in use is said so', async (t) => {
  const { port } = await startFront(t)
  await t.rejects(startFront(t, { config: { port } }), /in use/)
})
