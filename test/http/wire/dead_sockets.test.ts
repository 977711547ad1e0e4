/** Answers that the server gives at once, to a client that is gone by then. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import * as v from 'valibot'
import type { Route } from '../../../http/server/route/route.ts'
import { startTestServer } from '../test_server.ts'

const REQUEST = 'GET /wire HTTP/1.1\r\nHost: a.example\r\n\r\n'
const routes: Route[] = [
  {
    method: 'GET',
    path: '/wire',
    operation: 'wire',
    summary: 'Wire',
    auth: 'none',
    status: 200,
    query: v.strictObject({}),
    read: () => ({ text: 'x'.repeat(300) }),
  },
]

/**
 * Clients in a thread of their own, each a little later: the reset has to arrive while the server answers the requests
 * before.
 */
const resetting = `
const { connect } = require('node:net')
const { workerData, parentPort } = require('node:worker_threads')
const { port, packet, times } = workerData
let left = times
const next = () => {
  if (left-- === 0) return parentPort.postMessage('done')
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(packet)
    const at = performance.now() + (left % 20) / 5
    while (performance.now() < at);
    socket.resetAndDestroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(next, 5))
}
next()
`

async function reset(port: number, request: string, times: number): Promise<void> {
  const worker = new Worker(resetting, { eval: true, workerData: { port, packet: request.repeat(600), times } })
  await once(worker, 'message')
  await worker.terminate()
}

t.test('a client that resets the connection under its answers harms nobody', async (t) => {
  const { port, call } = await startTestServer(t, { routes })
  for (const request of [REQUEST, REQUEST.replace('wire', 'nothing')]) {
    await reset(port, request, 100)
    t.equal((await call('/health')).status, 200)
  }
})
