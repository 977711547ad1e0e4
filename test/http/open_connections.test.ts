/** Connections that clients keep open: however many they are, others find a place. */
import { connect, type Socket } from 'node:net'
import { io } from 'socket.io-client'
import t from 'tap'
import { openSockets } from '../../http/server/sockets/sockets.ts'
import { until } from '../runtime/support/wait.ts'
import type { Owner } from '../support/mod.ts'
import { startTestServer } from './test_server.ts'

const MAX = 40

type Kept = { socket: Socket; said: string }

/** Opens a connection and asks the first question. */
function keep(t: Owner, port: number, question: string): Kept {
  const socket = connect(port, '127.0.0.1')
  const kept = { socket, said: '' }
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  socket.on('data', (data) => {
    kept.said += data
  })
  socket.write(question)
  return kept
}

/** `server` counts its connections. */
async function openOf({ server }: Awaited<ReturnType<typeof startTestServer>>): Promise<Record<string, number>> {
  const text = await server.registry.metrics()
  return Object.fromEntries([...text.matchAll(/^parley_connections_(\w+) (\d+)$/gm)].map(([, name, n]) => [name, +n!]))
}

for (const method of ['GET', 'HEAD']) {
  t.test(`connections that are kept open by ${method} leave room for others`, async (t) => {
    const context = await startTestServer(t, { config: { max_connections: MAX } })
    const question = `${method} /health HTTP/1.1\r\nHost: a.example\r\n\r\n`
    const kept: Kept[] = []
    for (let n = 0; n < 2 * MAX; n++) {
      const one = keep(t, context.port, question)
      kept.push(one)
      await until(() => one.said.includes('\r\n\r\n') || one.socket.destroyed)
    }
    await until(() => kept.filter(({ socket }) => !socket.destroyed).length <= MAX * 0.75)
    const answers = kept.filter(({ said }) => said.startsWith('HTTP/1.1 200'))
    t.equal(answers.length, kept.length, 'each was answered')
    t.equal((await context.call('/health', { token: null })).status, 200)
    for (const { socket } of kept) socket.destroy()
    await until(async () => (await openOf(context)).open! <= 1)
    t.equal(kept.filter(({ said }) => said.includes('Connection: close')).length >= MAX, true)
  })
}

t.test('connections that say nothing are closed when there are too many', async (t) => {
  const context = await startTestServer(t, { config: { max_connections: MAX } })
  const kept = Array.from({ length: 2 * MAX }, () => keep(t, context.port, 'GET'))
  await until(() => kept.filter(({ socket }) => !socket.destroyed).length === MAX)
  t.match(await openOf(context), { open: MAX, refused_total: MAX })
})

t.test('websockets count until they are closed', async (t) => {
  const context = await startTestServer(t)
  const sockets = openSockets({
    app: context.server.app,
    path: '/s',
    message_bytes: 1000,
    unread_bytes: 1000,
    max_sockets: 10,
    ...context.server.addresses,
    counted: { rate: 'connection', place: 'visitor_socket' },
    refuse: () => ({ message: 'TOO_FAST' }),
    isSecure: undefined,
  })
  t.teardown(() => sockets.close())
  const clients = Array.from({ length: 5 }, () =>
    io(`http://127.0.0.1:${context.port}`, { path: '/s', transports: ['websocket'], forceNew: true }),
  )
  await until(() => clients.every(({ connected }) => connected))
  t.match(await openOf(context), { open: 5 })
  for (const client of clients) client.disconnect()
  await until(async () => (await openOf(context)).open === 0)
})
