/** The limits of strangers on the sockets, over connections of their own. */

import * as uWS from 'uWebSockets.js'
import { connect } from 'node:net'
import { io as connectTo } from 'socket.io-client'
import t from 'tap'
import { AddressLimits } from '../../http/server/limits/address_limits.ts'
import { OpenConnections } from '../../http/server/limits/open_connections.ts'
import { clientAddress } from '../../http/server/sockets/client_connection.ts'
import { addressOf, openSockets, type SocketServer } from '../../http/server/sockets/sockets.ts'
import { until } from '../runtime/support/wait.ts'
import type { Owner } from '../support/mod.ts'

type Options = { people?: number; trusted?: string[]; max_sockets?: number }
type Served = {
  port: number
  limits: AddressLimits
  sockets: SocketServer<unknown>
  heard: unknown[][]
  seen: string[]
}

/** Starts a server with the limits of 20 people: 60 connections, 40 at once. */
async function serve(t: Owner, { people = 20, trusted = [], max_sockets = 10_000 }: Options = {}): Promise<Served> {
  const app = uWS.App()
  const limits = new AddressLimits({ people })
  const sockets = openSockets({
    app,
    path: '/s',
    message_bytes: 32_768,
    unread_bytes: 200_000,
    max_sockets,
    limits,
    connections: new OpenConnections(),
    clientAddress: clientAddress(trusted),
    counted: { rate: 'connection', place: 'visitor_socket' },
    refuse: (retry_after_s) => ({ message: 'TOO_FAST', data: { retry_after_s } }),
    isSecure: undefined,
  })
  const heard: unknown[][] = []
  const seen: string[] = []
  sockets.on('connection', (socket) => {
    seen.push(addressOf(socket))
    socket.onAny((...said) => heard.push(said))
  })
  const listening = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
  const token = listening as uWS.us_listen_socket
  t.teardown(async () => {
    await sockets.close()
    uWS.us_listen_socket_close(token)
  })
  return { port: uWS.us_socket_local_port(token), limits, sockets, heard, seen }
}

type Raw = { socket: WebSocket; said: string[]; closed: Promise<number> }

/** Opens a websocket that the server has greeted. */
async function open(t: Owner, { port }: Served, ...first: (string | Uint8Array)[]): Promise<Raw> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/s/?EIO=4&transport=websocket`)
  t.teardown(() => socket.close())
  const said: string[] = []
  socket.onmessage = ({ data }) => said.push(String(data))
  const closed = new Promise<number>((resolve) => {
    socket.onclose = ({ code }) => resolve(code)
  })
  await until(() => said.length > 0)
  for (const packet of first) socket.send(packet)
  return { socket, said, closed }
}

function client(t: Owner, { port }: Served, headers: Record<string, string> = {}) {
  const socket = connectTo(`http://127.0.0.1:${port}`, {
    path: '/s',
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders: headers,
  })
  t.teardown(() => socket.disconnect())
  return new Promise<{ socket: typeof socket; refused?: unknown }>((resolve) => {
    socket.on('connect', () => resolve({ socket }))
    socket.on('connect_error', (error) =>
      resolve({ socket, refused: (error as Error & { data?: object }).data ?? error.message }),
    )
  })
}

/** Writes bytes, and resolves to everything that came back until the server closed. */
function write(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    socket.write(bytes)
  })
}

t.test('a packet that no page sends ends the connection and reaches no handler', async (t) => {
  const served = await serve(t)
  const cases: [string, number, ...(string | Uint8Array)[]][] = [
    ['bytes', 1003, '40', new Uint8Array(1)],
    ['an event before anything', 1008, '42["say"]'],
    ['a namespace', 1008, '40/x,'],
    ['attachments', 1008, '40', '451-["say",{"_placeholder":true,"num":0}]'],
    ['an acknowledgement', 1008, '40', '430[]'],
    ['depth', 1008, '40', `42["say",${'['.repeat(10_000)}${']'.repeat(10_000)}]`],
    ['a long greeting', 1008, `40{"a":"${'x'.repeat(2_000)}"}`],
  ]
  for (const [what, code, ...packets] of cases) t.equal(await (await open(t, served, ...packets)).closed, code, what)
  t.strictSame(served.heard, [])
  await until(() => served.sockets.engine.clientsCount === 0)
})

for (const [what, opcode] of [
  ['pings', 0x89],
  ['pongs', 0x8a],
] as const) {
  t.test(`a connection that sends nothing but ${what} is ended`, async (t) => {
    const { port } = await serve(t)
    const upgrade = [
      'GET /s/?EIO=4&transport=websocket HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ]
    const signs = (count: number) => Buffer.alloc(6 * count, Buffer.from([opcode, 0x80, 0, 0, 0, 0]))
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    let said = Buffer.alloc(0)
    socket.on('data', (data) => {
      said = Buffer.concat([said, data])
    })
    socket.on('error', () => {})
    const ended = new Promise((resolve) => socket.on('close', resolve))
    socket.write(`${upgrade.join('\r\n')}\r\n\r\n`)
    await until(() => said.includes('"sid"'))
    socket.write(signs(20))
    await new Promise((resolve) => setTimeout(resolve, 50))
    t.notOk(socket.destroyed || socket.readableEnded, 'a few do no harm')
    socket.write(signs(10_000))
    await ended
    t.ok(said.includes(Buffer.from([0x88, 0x02, 0x03, 0xf0])), 'it hears why')
    const pongs = said.toString('latin1').split('\x8a\0').length - 1
    t.ok(pongs < 1000, `${pongs} were answered`)
  })
}

t.test('a connection that sends too much is ended, and its other bytes are not read', async (t) => {
  const served = await serve(t, { people: 200 })
  const { socket, closed } = await open(t, served, '40')
  for (let n = 0; n < 10_000; n++) socket.send('42["say",1]')
  t.equal(await closed, 1008)
  t.ok(served.heard.length > 50 && served.heard.length < 500, `${served.heard.length} were heard`)
  const long = await open(t, served, '40')
  const before = served.heard.length
  for (let n = 0; n < 100; n++) long.socket.send(`42["say","${'x'.repeat(30_000)}"]`)
  t.equal(await long.closed, 1008)
  t.ok(served.heard.length - before < 20, 'long ones count for more')
})

t.test('many connections of an address that each send little are limited together', async (t) => {
  const served = await serve(t)
  const raws = await Promise.all(Array.from({ length: 10 }, () => open(t, served, '40')))
  for (const { socket } of raws) for (let n = 0; n < 100; n++) socket.send('42["say",1]')
  const codes = await Promise.race([
    Promise.all(raws.map(({ closed }) => closed)).then((all) => all),
    until(() => served.limits.refused.frame > 0).then(() => [1013]),
  ])
  t.ok(codes.includes(1013))
  t.ok(served.heard.length <= 400, `${served.heard.length} were heard`)
})

t.test('an address has a limited number of connections at once, and a closed one makes room', async (t) => {
  const served = await serve(t)
  const inside = await Promise.all(Array.from({ length: 40 }, () => client(t, served)))
  t.ok(inside.every(({ refused }) => refused === undefined))
  t.match(await client(t, served), { refused: { retry_after_s: Number } })
  t.equal(served.limits.refused.visitor_socket, 1)
  inside[0]!.socket.disconnect()
  await until(() => served.sockets.engine.clientsCount === 39)
  t.equal((await client(t, served)).refused, undefined)
})

t.test('a client that reconnects hundreds of times gets only a few connections', async (t) => {
  const served = await serve(t)
  const rounds = 400
  let opened = 0
  for (let n = 0; n < rounds; n += 25) {
    const some = await Promise.all(Array.from({ length: 25 }, () => client(t, served)))
    opened += some.filter(({ refused }) => refused === undefined).length
    for (const { socket } of some) socket.disconnect()
    await until(() => served.sockets.engine.clientsCount === 0)
  }
  t.ok(opened >= 60 && opened < 240, `${opened} of ${rounds} were let in`)
  t.equal(served.limits.tracked, 1)
})

t.test('the headers of strangers about their address are ignored', async (t) => {
  const served = await serve(t)
  let opened = 0
  for (let n = 0; n < 200; n++) {
    const { socket, refused } = await client(t, served, { 'X-Forwarded-For': `198.51.${n >> 8}.${n & 255}` })
    if (refused === undefined) opened++
    socket.disconnect()
  }
  t.ok(opened < 150, `${opened} were let in`)
  t.equal(served.limits.tracked, 1)
  t.strictSame(new Set(served.seen), new Set(['127.0.0.1']))
})

t.test('the address that a trusted proxy names is counted', async (t) => {
  const served = await serve(t, { people: 1, trusted: ['127.0.0.0/8'] })
  for (let n = 1; n <= 20; n++) {
    const { refused } = await client(t, served, { 'X-Forwarded-For': `203.0.113.9, 198.51.100.${n}` })
    t.equal(refused, undefined)
  }
  for (let n = 0; n < 2; n++) await client(t, served, { 'X-Forwarded-For': '2001:db8::1' })
  t.match(
    await client(t, served, { 'X-Forwarded-For': '2001:db8::ffff' }),
    { refused: Object },
    'one network of 64 bits',
  )
})

t.test('on a full node, and without a websocket, the connection ends with the answer', async (t) => {
  const served = await serve(t, { max_sockets: 1 })
  const upgrade = (query: string) =>
    `GET /s/?${query} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
  const statuses = async (bytes: string) =>
    // Packets that came with the first are answered as well.
    new Set([...(await write(served.port, bytes)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code))
  t.strictSame(
    await statuses('GET /s/?EIO=4&transport=polling HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3)),
    new Set(['400']),
  )
  t.strictSame(await statuses(upgrade('EIO=3&transport=websocket').repeat(3)), new Set(['400']))
  t.strictSame(await statuses(upgrade('EIO=4&transport=websocket&sid=x').repeat(3)), new Set(['400']))
  await client(t, served)
  t.strictSame(await statuses(upgrade('EIO=4&transport=websocket').repeat(3)), new Set(['503']))
  t.equal(served.limits.refused.visitor_socket + served.limits.refused.connection, 0)
})

t.test('a connection that engine.io turns away gives its place back', async (t) => {
  const served = await serve(t, { people: 1 })
  for (let n = 0; n < 3; n++) {
    const bytes = `GET /s/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nOrigin: \x7f\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    const answer = connect(served.port, '127.0.0.1')
    answer.write(bytes)
    const said = await new Promise((resolve) => {
      answer.once('data', resolve)
      answer.once('close', resolve)
    })
    t.match(String(said), /400/)
    answer.destroy()
  }
  t.equal(served.limits.refused.visitor_socket, 0)
})
