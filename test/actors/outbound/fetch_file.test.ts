import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { fetchFile, OutboundGuard } from '../../../actors/outbound/mod.ts'
import { files } from '../../http/media_files.ts'

const MIB = 1024 * 1024
const guard = new OutboundGuard({ allow_networks: ['127.0.0.0/8'] })
const dispatcher = guard.createDispatcher()

let served = 0
const server = createServer((request, response) => {
  served += 1
  const big = Buffer.alloc(MIB, 1)
  switch (request.url) {
    case '/lies.txt':
      return response.writeHead(200, { 'content-type': 'text/plain' }).end(files.jpeg)
    case '/people.csv':
      return response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end(files.text)
    case '/script':
      return response.writeHead(200, { 'content-type': 'application/x-sh' }).end(files.text)
    case '/nothing':
      return response.writeHead(200).end()
    case '/moved':
      return response.writeHead(302, { location: '/lies.txt' }).end()
    case '/inside':
      return response.writeHead(307, { location: 'http://10.0.0.1/secret' }).end()
    case '/file':
      return response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    case '/circle':
      return response.writeHead(302, { location: '/circle' }).end()
    case '/file%20a%2Fb.pdf?x=1':
      return response.writeHead(200).end(files.pdf)
    case '/big':
      return response.writeHead(200, { 'content-length': 3 * MIB }).end(Buffer.concat([big, big, big]))
    case '/big-and-silent-about-it':
      for (let index = 0; index < 3; index++) response.write(big)
      return response.end()
    case '/half':
      response.writeHead(200, { 'content-length': 5000 }).write(Buffer.alloc(2000))
      return setTimeout(() => response.destroy(), 20)
    case '/slow':
      return response.writeHead(200).write('x')
    case '/cookie':
      return response.end(JSON.stringify(request.headers))
    default:
      return response.writeHead(404).end()
  }
})
let origin = ''
t.before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
t.teardown(async () => {
  await dispatcher.destroy()
  server.closeAllConnections()
  server.close()
})

const fetch = (path: string, deadline_ms = 10_000) =>
  fetchFile(path.startsWith('http') ? path : origin + path, { dispatcher, limit: 2 * MIB, deadline_ms })

t.test('the bytes decide the type of a file; the server tells the kind of a text', async (t) => {
  const cases: [string, Buffer, string, string | null][] = [
    ['/lies.txt', files.jpeg, 'image/jpeg', 'lies.txt'],
    ['/people.csv', files.text, 'text/csv', 'people.csv'],
    ['/script', files.text, 'text/plain', 'script'],
    ['/nothing', Buffer.alloc(0), 'application/octet-stream', 'nothing'],
    ['/moved', files.jpeg, 'image/jpeg', 'lies.txt'],
    ['/file%20a%2Fb.pdf?x=1', files.pdf, 'application/pdf', 'file ab.pdf'],
  ]
  for (const [path, bytes, mime_type, filename] of cases) {
    const { stream, ...facts } = await fetch(path)
    const charset = path === '/people.csv' ? 'utf-8' : null
    t.strictSame(facts, { mime_type, filename, charset }, path)
    t.ok((await buffer(stream)).equals(bytes), path)
  }
})

t.test('a file that cannot be fetched is an error with a short code', async (t) => {
  const cases: [string, string][] = [
    ['/missing', 'http_404'],
    ['/big', 'too_large'],
    ['/inside', 'address_forbidden'],
    ['/circle', 'too_many_redirects'],
    ['http://10.0.0.1/x', 'address_forbidden'],
    ['https://169.254.169.254/latest', 'address_forbidden'],
    ['http://127.0.0.1:1/', 'connection_refused'],
    ['/file', 'invalid_request'],
    ['http://', 'invalid_request'],
  ]
  for (const [path, code] of cases) await t.rejects(fetch(path), { name: 'FetchFailed', code }, path)
  served = 0
  await t.rejects(fetch('/circle'))
  t.equal(served, 6, 'a circle is followed five times')
})

t.test('a later failure is an error of the stream', async (t) => {
  for (const [path, code] of [
    ['/big-and-silent-about-it', 'too_large'],
    ['/half', 'connection_reset'],
  ] as const) {
    await t.rejects(
      fetch(path).then(({ stream }) => buffer(stream)),
      { name: 'FetchFailed', code },
      path,
    )
  }
  await t.rejects(
    fetch('/slow', 200).then(({ stream }) => buffer(stream)),
    { code: 'timeout' },
  )
})

t.test('the wait for a server that does not begin is shorter than for a large file', async (t) => {
  const options = { dispatcher, limit: 2 * MIB, deadline_ms: 600_000, start_ms: 50 }
  await t.rejects(fetchFile(`${origin}/slow`, options), { name: 'FetchFailed', code: 'timeout' })
})

t.test('a reader that stops ends the request', async (t) => {
  const { stream } = await fetch('/lies.txt')
  stream.destroy()
  t.ok((await fetch('/lies.txt')).stream)
})
