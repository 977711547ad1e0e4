/**
 * The documentation that a node serves: every page is there and every link leads somewhere, nothing comes from elsewhere,
 * and the first page is small.
 */
import t from 'tap'
import { docsRoutes } from '../../http/docs/routes.ts'
import { type SearchEntry, Site } from '../../http/docs/site.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { tagsOf } from './tags.ts'
import { startTestServer } from './test_server.ts'

const BASE = 'https://parley.example'
/** Bytes after gzip of everything that the first page loads. */
const FIRST_LOAD = 250 * 1024

const described = allRoutes()
const routes = docsRoutes(described, BASE)
const { call, port } = await startTestServer(t, { routes })

/** `loaded`: the addresses that a browser fetches to show the page. */
type Seen = { text: string; ids: Set<string>; links: string[]; loaded: string[] }

const seen = new Map<string, Promise<Seen | undefined>>()

/** The page at this address. Each is fetched and parsed once. */
function read(path: string): Promise<Seen | undefined> {
  if (!seen.has(path)) seen.set(path, parsed(path))
  return seen.get(path)!
}

async function parsed(path: string): Promise<Seen | undefined> {
  const { status, text, headers } = await call(path, { token: null })
  if (status !== 200) return undefined
  const page: Seen = { text, ids: new Set(), links: [], loaded: [] }
  if (!String(headers['content-type']).startsWith('text/html')) return page
  for (const { name, attributes } of tagsOf(text)) {
    const id = attributes.get('id')
    if (id !== undefined && page.ids.has(id)) t.fail(`${path} has the id ${id} twice`)
    if (id !== undefined) page.ids.add(id)
    const [href, src] = [attributes.get('href'), attributes.get('src')]
    const link = name === 'script' ? src : /^(a|link)$/.test(name) ? href : undefined
    if (link !== undefined) page.links.push(link)
    const is_loaded = name === 'link' && attributes.get('rel') !== 'alternate'
    const loaded = src ?? attributes.get('srcset') ?? (is_loaded ? href : undefined)
    if (loaded !== undefined) page.loaded.push(loaded)
  }
  return page
}

/** The menu has the same links on all pages of a directory. */
const addresses = new Map<string, URL>()

function addressOf(link: string, path: string): URL {
  const from = /^([#?]|$)/.test(link) ? path : path.slice(0, path.lastIndexOf('/'))
  const key = `${from} ${link}`
  const address = addresses.get(key) ?? new URL(link, `${BASE}${path}`)
  addresses.set(key, address)
  return address
}

t.test('every link of every page leads to a page, and to a part that it has', async (t) => {
  const pages = new Map<string, Seen | undefined>()
  const wanted = ['/docs']
  const parts: { from: string; path: string; part: string }[] = []
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (pages.has(path)) continue
    const page = await read(path)
    pages.set(path, page)
    for (const link of page?.links ?? []) {
      const to = addressOf(link, path)
      if (to.origin !== BASE || !/^\/docs|^\/llms/.test(to.pathname)) continue
      if (to.hash) parts.push({ from: path, path: to.pathname, part: decodeURIComponent(to.hash.slice(1)) })
      wanted.push(to.pathname)
    }
  }
  const missing = [...pages].filter(([, page]) => page === undefined).map(([path]) => path)
  t.same(missing, [], 'pages')
  const lost = parts.filter(({ path, part }) => !pages.get(path)?.ids.has(part))
  t.same(lost, [], 'parts')
  const operations = described
    .filter(({ path, section }) => section !== undefined && /^\/(?:admin\/)?v1\//.test(path))
    .map(({ operation, path }) => `/docs/${path.startsWith('/admin') ? 'operator' : 'api'}/${operation}`)
  t.ok(operations.length > 150)
  t.same(
    operations.filter((path) => !pages.has(path)),
    [],
    'operations without a page',
  )
  const foreign = [...pages].flatMap(([path, page]) =>
    (page?.loaded ?? []).filter((one) => addressOf(one, path).origin !== BASE),
  )
  t.same(foreign, [], 'nothing is loaded from elsewhere')
})

t.test('every entry of the search leads to a page and its part', async (t) => {
  const { body } = await call('/docs/search.json', { token: null })
  const pages = new Map<string, Seen | undefined>()
  const wrong: string[] = []
  for (const { path, anchor, title, words } of body) {
    if (!pages.has(path)) pages.set(path, await read(`/docs/${path}`))
    const page = pages.get(path)
    const leads = page && (anchor === undefined || page.ids.has(anchor)) && title !== ''
    if (!leads || words !== words.toLowerCase()) wrong.push(`${path}#${anchor}: ${title}: ${words}`)
  }
  t.ok(body.length > 500, `${body.length} entries`)
  t.same(wrong, [])
})

t.test('the search finds what people ask for, in their words and with their slips', async (t) => {
  const { body } = await call('/docs/search.json', { token: null })
  const { find } = await import(new URL('../../http/docs/page/find.ts', import.meta.url).href)
  for (const [question, path, among] of [
    ['error codes', 'errors', 1],
    ['Error codes?', 'errors', 1],
    ['send_message', 'api/send_message', 1],
    ['verify signature', 'webhooks', 3],
    ['webook signture', 'webhooks', 3],
    ['verificar firma', 'webhooks', 3],
    ['cómo verificar la firma', 'webhooks', 3],
    ['claude mcp', 'mcp', 3],
    ['node sdk', 'client', 5],
    ['pagination', 'limits', 1],
    ['429', 'limits', 5],
    ['enviar mensaje', 'api/send_message', 10],
    ['brodcasts', 'broadcasts', 1],
    ['mcp', 'mcp', 1],
  ] as const) {
    const found = find(body, question).slice(0, among)
    t.ok(
      found.some((one: SearchEntry) => one.path === path),
      `${question}: ${found.map((one: SearchEntry) => `${one.path} ${one.title}`).join(', ')}`,
    )
  }
  t.same(find(body, 'no such word zzz'), [])
  t.same(find(body, ' '), [])
  const said = body.flatMap(({ says }: SearchEntry) => (says === undefined ? [] : [says]))
  t.ok(said.length > body.length / 2, 'most results say how they begin')
  t.same(
    said.filter((says: string) => says.length > 200 || says.includes('\n')),
    [],
  )
})

t.test('the first page loads less than 250 KB', async (t) => {
  const sizeOf = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'accept-encoding': 'gzip' } })
    t.equal(response.status, 200, path)
    return Number(response.headers.get('content-length'))
  }
  const page = await read('/docs/api/send_message')
  const files = page!.links.filter((link) => link.includes('/files/'))
  const paths = ['/docs/api/send_message', ...files.map((link) => new URL(link, `${BASE}/docs/api/x`).pathname)]
  let bytes = 0
  for (const path of new Set(paths)) bytes += await sizeOf(path)
  t.ok(bytes > 0 && bytes < FIRST_LOAD, `${bytes} bytes`)
})

t.test('language models find the guides as Markdown', async (t) => {
  const { text, headers } = await call('/llms.txt', { token: null })
  t.match(headers['content-type'], /^text\/plain/)
  t.match(text, /^# Parley\n\n> /)
  const links = [...text.matchAll(/\]\((\S+?)\)/g)].map(([, link]) => new URL(link!))
  t.ok(links.length > 20)
  for (const { origin, pathname } of links) {
    t.equal(origin, BASE)
    if (!pathname.startsWith('/docs/')) continue
    const guide = await call(pathname, { token: null })
    t.match(guide, { status: 200, headers: { 'content-type': 'text/markdown; charset=utf-8' } }, pathname)
    for (const [, link] of guide.text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s#]+\.md)/g)) {
      const to = new URL(link!, `${BASE}${pathname}`)
      if (to.origin === BASE) t.equal((await call(to.pathname, { token: null })).status, 200, `${pathname}: ${link}`)
    }
  }
  const full = await call('/llms-full.txt', { token: null })
  t.ok(full.text.length > 100_000)
})

t.test('pages are sent as HTTP has it: strict, compressed, unchanged ones not again', async (t) => {
  const { headers } = await call('/docs/webhooks', { token: null })
  t.match(headers, {
    'content-security-policy': /default-src 'none'.*require-trusted-types-for 'script'/,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  t.notMatch(headers['content-security-policy'], /unsafe|https?:|\*/)
  const url = `http://127.0.0.1:${port}/docs/webhooks`
  const zipped = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
  t.equal(zipped.headers.get('content-encoding'), 'gzip')
  t.match(await zipped.text(), /<h1>/)
  const again = await call('/docs/webhooks', { token: null, headers: { 'if-none-match': String(headers.etag) } })
  t.match(again, { status: 304, text: '' })
  const head = await call('/docs/webhooks', { method: 'HEAD', token: null })
  t.match(head, { status: 200, text: '' })
  t.match(await call('/docs/', { token: null }), { status: 308, headers: { location: '/docs' } })
  const nowhere = await call('/docs/nowhere', { token: null })
  t.match(nowhere, { status: 404, headers: { 'content-type': /^text\/html/ } })
  t.match(nowhere.text, /There is no such page/)
  t.equal((await call('/docs/api/__proto__', { token: null })).status, 404)
  t.equal((await call('/docs/%3Cscript%3E', { token: null })).status, 404)
})

t.test('the page of a missing address is made once for all addresses of its depth', async (t) => {
  const site = new Site(() => t.fail('it needs no description') as never)
  const page = site.missing('nowhere')
  t.equal(site.missing('elsewhere'), page)
  t.not(site.missing('no/where').content, page.content, 'links are relative')
})

t.test('an address reads as many bytes as it may of descriptions', async (t) => {
  const { call } = await startTestServer(t, { routes, config: { address_people: 5 } })
  const fetched = async (path: string): Promise<number> => {
    for (let count = 0; ; count++) if ((await call(path, { token: null })).status === 429) return count
  }
  const first = await call('/docs', { token: null })
  t.equal((await call('/docs', { token: null, headers: { 'if-none-match': String(first.headers.etag) } })).status, 304)
  const [index, everything] = [await fetched('/docs/search.json'), await fetched('/llms-full.txt')]
  t.ok(index >= 2 && index <= 6, `${index} of a third of a megabyte`)
  t.equal(everything, 0, 'the pages draw on one budget')
  t.match(await call('/docs', { token: null, headers: { 'if-none-match': String(first.headers.etag) } }), {
    status: 304,
  })
})
