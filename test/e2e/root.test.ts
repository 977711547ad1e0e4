/** The address of a node without a path: what is there, for programs and for people. */
import t from 'tap'
import { rootRoute } from '../../http/app/node/root.ts'
import { joinWorld } from './fixture.ts'

const world = await joinWorld(t)
const { http, base_url } = world
const root = (accept?: string, method = 'GET') =>
  http(method, `${base_url}/`, { headers: accept === undefined ? {} : { accept } })

t.test('a program gets links, and each of them leads to something', async (t) => {
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html-ish']) {
    const { status, body, headers } = await root(accept)
    t.equal(status, 200, `${accept}`)
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
    t.equal(headers.vary, 'Accept')
    const { name, version, ...links } = body
    t.equal(name, 'Parley')
    t.match(version, /^\d+\.\d+\.\d+/)
    t.same(Object.keys(links), ['docs', 'console', 'openapi', 'operator_openapi', 'health', 'ready'])
    if (accept !== undefined) continue
    for (const [link, path] of Object.entries(links)) {
      t.equal((await http('GET', `${base_url}${path}`)).status, 200, link)
    }
  }
})

t.test('a browser is led to the documentation', async (t) => {
  for (const accept of ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'TEXT/HTML']) {
    const { status, headers } = await root(accept)
    t.same([status, headers.location, headers.vary], [302, '/docs', 'Accept'])
  }
})

t.test('other methods are refused with those that it takes', async (t) => {
  t.equal((await root(undefined, 'HEAD')).status, 200)
  for (const method of ['POST', 'DELETE']) {
    const { status, body, headers } = await root(undefined, method)
    t.same([status, body.error.code, headers.allow], [405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS'], method)
  }
})

t.test('without the documentation a browser is led to the console', async (t) => {
  const { raw } = rootRoute({ version: '1.2.3', has_docs: false })
  const answer = async (accept: string) => raw!({ headers: { accept } } as never, {} as never)
  t.match(await answer('text/html'), { status: 302, headers: { Location: '/console' } })
  const { docs, console } = JSON.parse((await answer('*/*')).body as string)
  t.same([docs, console], [null, '/console'])
})
