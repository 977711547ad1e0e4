/** Live events of a busy project, and a page that never reads, keep none from those that read. */

import * as uWS from 'uWebSockets.js'
import { io } from 'socket.io-client'
import t from 'tap'
import { FanOut, type Watcher } from '../../http/console/live/fan_out.ts'
import { AddressLimits } from '../../http/server/limits/address_limits.ts'
import { OpenConnections } from '../../http/server/limits/open_connections.ts'
import { openSockets } from '../../http/server/sockets/sockets.ts'
import { until } from '../runtime/support/wait.ts'
import type { Owner } from '../support/mod.ts'

const EVENTS = 10_000
/** Each so many events of the busy project, one of the quiet one. */
const EACH = 1000

async function serve(t: Owner) {
  const app = uWS.App()
  const sockets = openSockets<{ user_id: string }>({
    app,
    path: '/s',
    message_bytes: 1000,
    unread_bytes: 1024 * 1024,
    max_sockets: 10,
    limits: new AddressLimits(),
    connections: new OpenConnections(),
    clientAddress: () => '192.0.2.1',
    counted: { rate: 'connection', place: 'visitor_socket' },
    refuse: () => ({ message: 'TOO_FAST' }),
    isSecure: undefined,
  })
  const listening = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
  const token = listening as uWS.us_listen_socket
  t.teardown(async () => {
    await sockets.close()
    uWS.us_listen_socket_close(token)
  })
  const fan_out = new FanOut(app)
  const watchers: Watcher[] = []
  sockets.on('connection', (socket) => void watchers.push(socket))
  const port = uWS.us_socket_local_port(token)
  /** Opens a page that watches a project. */
  async function watch(project_id: string) {
    const client = io(`http://127.0.0.1:${port}`, {
      path: '/s',
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
    })
    t.teardown(() => client.disconnect())
    const heard: number[] = []
    client.on('notice', ({ data }: { data: { n: number } }) => heard.push(data.n))
    const { length } = watchers
    await until(() => watchers.length > length)
    const watcher = watchers.at(-1)!
    watcher.data = { user_id: project_id }
    watcher.on('disconnect', () => fan_out.leave(watcher, project_id))
    fan_out.join(watcher, project_id)
    return { client, heard }
  }
  return { fan_out, watch }
}

t.test('ten thousand events of a project with a page that never reads', async (t) => {
  const { fan_out, watch } = await serve(t)
  const [stuck, busy, quiet] = [await watch('busy'), await watch('busy'), await watch('quiet')]
  const { ws } = stuck.client.io.engine.transport as unknown as { ws: { _socket: { pause(): void } } }
  ws._socket.pause()
  const text = 'x'.repeat(2_000)
  for (let n = 0; n < EVENTS; n++) {
    fan_out.tellNotice('busy', 'said', { n, text })
    if (n % EACH === 0) fan_out.tellNotice('quiet', 'said', { n })
    // The pages run in this process, too.
    if (n % 50 === 49) await until(() => busy.heard.length === n + 1)
  }
  const all = Array.from({ length: EVENTS }, (_, n) => n)
  t.strictSame(busy.heard, all)
  await until(() => quiet.heard.length === EVENTS / EACH)
  t.strictSame(
    quiet.heard,
    all.filter((n) => n % EACH === 0),
  )
  await until(() => fan_out.watchers('busy') === 1)
  t.same(stuck.heard, [], 'the page that does not read is gone')
})
