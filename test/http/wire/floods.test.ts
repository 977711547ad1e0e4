/** Packets of many requests: the server answers a part of a packet before it serves others. */
import { connect } from 'node:net'
import t from 'tap'
import { sessionRoutes } from '../../../http/console/session.ts'
import { type ServerContext, type ServerOptions, startTestServer } from '../test_server.ts'

const MANY = 2000
const get = (path: string, method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n`

type Flood = { name: string; request: string; options?: ServerOptions; most: number }

/** Ten people may share an address, which allows fifteen requests for unknown paths. */
const few: ServerOptions = { config: { address_people: 10 } }
const floods: Flood[] = [
  { name: 'for what is not there', request: get('/'), options: few, most: 16 },
  { name: 'with a body for what is not there', request: get('/', 'POST'), options: few, most: 16 },
  { name: 'without TLS', request: get('/v1/me'), options: { config: { production: true } }, most: 1 },
  {
    name: 'from the page of another',
    request: get('/console/session', 'POST').replace('\r\n\r\n', '\r\nSec-Fetch-Site: cross-site\r\n\r\n'),
    options: { routes: sessionRoutes() },
    most: 1,
  },
  { name: 'whether it lives', request: get('/health'), most: 200 },
  { name: 'at a channel that cannot be', request: get('/providers/whatsapp/x'), most: 200 },
]

/** Returns the number of answers that the server has counted. */
async function answersOf({ server }: ServerContext): Promise<number> {
  const text = await server.registry.metrics()
  const counts = text.matchAll(/^http_server_request_duration_seconds_count\{.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

for (const { name, request, options, most } of floods) {
  t.test(`many requests at once, ${name}`, async (t) => {
    const server = await startTestServer(t, options)
    await server.send(request.repeat(MANY))
    const answers = await answersOf(server)
    t.ok(answers > 0 && answers <= most, `${answers} answers`)
    t.equal((await server.call('/health', { token: null })).status, 200)
  })
}

t.test('a client that asks too much, but waits for each answer, keeps the connection', async (t) => {
  const { port } = await startTestServer(t, few)
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const ask = (path: string) =>
    new Promise<number>((resolve) => {
      socket.once('data', (data) => resolve(Number(data.toString().slice(9, 12))))
      socket.write(get(path))
    })
  const statuses = []
  for (let n = 0; n < 17; n++) statuses.push(await ask('/'))
  t.strictSame(statuses, [...Array(15).fill(404), 429, 429])
  t.equal(await ask('/health'), 200)
})
