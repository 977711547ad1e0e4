/**
 * Malformed and ambiguous requests over real sockets. The topics are those of llhttp's test corpus and of h1spec; the
 * requests were written for these tests. Where the parser of uWebSockets.js cannot do as HTTP asks, the case gives the
 * reason.
 */

import { writeFileSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import * as v from 'valibot'
import type { HttpConfig } from '../../http/mod.ts'
import type { Route } from '../../http/server/route/route.ts'
import { issue } from '../support/certificates.ts'
import { type Owner, tempDir } from '../support/mod.ts'
import { admitting, type Project, startTestServer } from './test_server.ts'
import { bodies, pipelines } from './wire/bodies.ts'
import { type Case, type Outcome, type Reason, reasons } from './wire/case.ts'
import { beginnings, heads, splits } from './wire/heads.ts'

/** The requests that reached the routes of the case, in order. */
let carried: string[] = []
const base = { path: '/wire', operation: 'wire', summary: 'Wire', auth: 'none', status: 200 } as const
const turn = () => new Promise((resolve) => setImmediate(resolve))

const read = () => {
  carried.push('GET ')
  return { ok: true }
}

const routes: Route[] = [
  { ...base, method: 'GET', query: v.record(v.string(), v.unknown()), read },
  {
    ...base,
    method: 'POST',
    raw: async ({ method, body }) => {
      const text = Buffer.from(body).toString('latin1')
      carried.push(`${method} ${text}`)
      if (text === 'slow') for (let n = 0; n < 10; n++) await turn()
      return { status: 200, body: 'ok' }
    },
  },
  {
    ...base,
    method: 'GET',
    path: '/wire/file',
    download: async () => {
      carried.push('FILE')
      const file = { size: 30, etag: null, content_type: 'text/plain', filename: null }
      return { ...file, open: async () => Readable.from(pieces()) }
    },
  },
]

async function* pieces() {
  for (let n = 0; n < 3; n++) {
    await turn()
    yield Buffer.from('0123456789')
  }
}

type Connect = (port: number) => ReturnType<typeof connectPlain>

/**
 * Opens a connection of its own. An answer on it proves that the server has read everything that others sent before.
 */
function pinger(t: Owner, port: number, connect: Connect): () => Promise<void> {
  const socket = connect(port)
  t.teardown(() => socket.destroy())
  return () =>
    new Promise((resolve) => {
      socket.once('data', () => resolve())
      socket.write('GET /health HTTP/1.1\r\nHost: a.example\r\n\r\n')
    })
}

/** Sends the case and watches until the result is `expected`, or until nothing more can come. */
async function play(
  { send }: Case,
  socket: ReturnType<Connect>,
  ping: () => Promise<void>,
  isExpected: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  carried = []
  let text = ''
  let end: Outcome['end'] = 'open'
  socket.setNoDelay()
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    end = 'closed'
  })
  const settle = async () => {
    for (let n = 0; n < 3; n++) await ping()
  }
  for (const packet of typeof send === 'string' ? [send] : send) {
    if (socket.writable) await new Promise((resolve) => socket.write(packet, 'latin1', resolve))
    await settle()
  }
  const outcome = (): Outcome => {
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
    return { answers: statuses.filter((status) => status !== 100), carried, end }
  }
  for (let n = 0; n < 1000 && !isExpected(outcome()); n++) await ping()
  await settle()
  socket.destroy()
  return outcome()
}

function isRefused({ answers, carried, end }: Outcome): boolean {
  return answers.length === 1 && answers[0]! >= 400 && carried.length === 0 && end === 'closed'
}

function isAs(wanted: Case['wants']): (outcome: Outcome) => boolean {
  if (wanted === 'refused') return isRefused
  const { answers, carried, end } = wanted
  const text = JSON.stringify({ answers, carried, end })
  return (outcome) => JSON.stringify(outcome) === text
}

async function replay(t: Test, connect: Connect, config: Partial<HttpConfig>) {
  const { port } = await startTestServer(t, { routes, config })
  const ping = pinger(t, port, connect)
  const met = new Set<Reason>()
  for (const one of [...heads, ...splits, ...beginnings, ...bodies, ...pipelines]) {
    const { name, wants, but } = one
    const expected = isAs(but ?? wants)
    const outcome = await play(one, connect(port), ping, expected)
    if (but !== undefined) met.add(but.why)
    if (but !== undefined && isAs(wants)(outcome)) t.fail(`${name}: as HTTP asks for it; take it off the list`)
    else if (expected(outcome)) t.pass(name)
    else t.fail(name, { expected: but ?? wants, outcome, send: one.send })
  }
  t.strictSame([...met].sort(), Object.keys(reasons).sort(), 'each reason has a case')
}

t.test('every case holds over TCP', (t) => replay(t, (port) => connectPlain(port, '127.0.0.1'), {}))

t.test('every case holds over TLS', async (t) => {
  const directory = tempDir(t)
  const { cert, key } = issue({ name: 'localhost', hosts: ['localhost'] })
  const tls = { cert_file: join(directory, 'cert.pem'), key_file: join(directory, 'key.pem') }
  writeFileSync(tls.cert_file, cert)
  writeFileSync(tls.key_file, key)
  await replay(t, (port) => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }), { tls })
})

t.test('answers to malformed requests have the form of the API', async (t) => {
  const { send, call } = await startTestServer(t)
  const host = 'Host: a.example\r\n'
  const refused = await send(`GET /health HTTP/1.1\r\n${host}${host}\r\n`)
  t.match(refused, /^HTTP\/1\.1 400 Bad Request\r\n/)
  t.match(refused, /\r\nX-Request-Id: \S+\r\n/)
  t.match(refused, /\r\nConnection: close\r\n/)
  const { error } = JSON.parse(refused.slice(refused.indexOf('{')))
  t.match(error, { code: 'VALIDATION_ERROR', details: { violations: [{ path: 'Host', code: 'duplicate' }] } })
  t.notOk(Object.keys((await call('/health')).headers).includes('uwebsockets'), 'the parser is not named')
  // The parser makes these answers itself, and they cannot be changed from here. The operations guide says so.
  const own = [
    `GET /health HTTP/2.0\r\n${host}\r\n`,
    'GET /health HTTP/1.1\r\na: b\r\n\r\n',
    `GET /health HTTP/1.1\r\n${'a: b\r\n'.repeat(120)}\r\n`,
  ]
  const statuses = []
  for (const bytes of own) {
    const text = await send(bytes)
    t.match(text, /<i>uWebSockets\/20 Server<\/i>$/)
    statuses.push(text.slice(9, 12))
  }
  t.strictSame(statuses, ['505', '400', '431'])
})

t.test('a connection carries one request at a time to a project', async (t) => {
  const project: Project = async (message) => {
    for (let n = 0; n < 100; n++) await turn()
    return admitting(message)
  }
  const { port, tenant, asked } = await startTestServer(t, { peek: false, project })
  const connect: Connect = (port) => connectPlain(port, '127.0.0.1')
  const ping = pinger(t, port, connect)
  const auth = `Host: a.example\r\nAuthorization: Bearer ${tenant.secret}\r\n`
  const body = JSON.stringify({
    name: 'Orders',
    url: 'https://example.com/hook',
    events: ['whatsapp.message.received'],
  })
  const write = `POST /v1/webhooks HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const read = `GET /v1/me HTTP/1.1\r\n${auth}\r\n`
  const commands = () => asked.filter(({ command }) => command?.type === 'create_webhook').length
  const cases: [string, string[], Outcome, number][] = [
    ['each waits for the answer before it', [write, read], { answers: [201, 200], carried: [], end: 'open' }, 1],
    ['what waited comes as one packet', [write, write, write], { answers: [201], carried: [], end: 'closed' }, 1],
    ['in one packet nothing is done', [write + write], { answers: [], carried: [], end: 'closed' }, 0],
    ['a read behind it neither', [write + read], { answers: [], carried: [], end: 'closed' }, 0],
  ]
  for (const [name, send, wants, created] of cases) {
    asked.length = 0
    t.strictSame(await play({ name, send, wants }, connect(port), ping, isAs(wants)), wants, name)
    t.equal(commands(), created, `${name}: commands`)
  }
})
