/** The console's page: the way the server delivers it, and the things it must never do. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { consolePageRoutes } from '../../http/console/pages.ts'
import { startTestServer } from './test_server.ts'

const server = await startTestServer(t, { routes: consolePageRoutes() })
const pages = join(import.meta.dirname, '../../http/console/page')
const names = [...globSync('*', { cwd: pages }), 'preact.js', 'socket_io.js']
const TYPES: Record<string, string> = {
  js: 'text/javascript',
  css: 'text/css',
  html: 'text/html',
  svg: 'image/svg+xml',
}

const get = (path: string, headers: Record<string, string> = {}) => server.call(path, { token: null, headers })

t.test('files have the type of their name, and an ETag of their content', async (t) => {
  const etags = new Set()
  for (const name of names) {
    const path = `/console/files/${name}`
    const { status, headers, text } = await get(path)
    t.equal(status, 200, path)
    t.equal(headers['content-type'], `${TYPES[name.split('.').at(-1)!]}; charset=utf-8`)
    t.match(headers, {
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      'cross-origin-resource-policy': 'same-origin',
      etag: /^"[\w-]{22}"$/,
    })
    t.ok(text.length > 0)
    etags.add(headers.etag)
    const again = await get(path, { 'if-none-match': `W/"other", ${headers.etag}` })
    t.same([again.status, again.text, again.headers.etag], [304, '', headers.etag], path)
    t.equal((await get(path, { 'if-none-match': '"other"' })).status, 200)
  }
  t.equal(etags.size, names.length)
})

t.test('nothing else is served', async (t) => {
  for (const name of [
    'nothing.js',
    'pages.ts',
    '..%2fpages.ts',
    '..%2f..%2froute.ts',
    '',
    'preact.js.map',
    'PAGE.HTML',
    'mainxjs',
  ])
    t.equal((await get(`/console/files/${name}`)).status, 404, name)
  t.equal((await server.call('/console', { method: 'POST', token: null, json: {} })).status, 405)
})

t.test('the page runs only our code and opens in no frame', async (t) => {
  const { status, headers, text } = await get('/console')
  t.equal(status, 200)
  t.match(headers['content-type'], /^text\/html/)
  t.match(headers, {
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  const rules = String(headers['content-security-policy']).split('; ')
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
    t.ok(rules.includes(rule), rule)
  t.notMatch(rules.join(), /unsafe|\*|https?:|data:|blob:/)
  t.notMatch(text, /<script(?![^>]*\bsrc=)|\bon\w+=|style=/, 'nothing inline')
  t.equal((await get('/console', { 'if-none-match': String(headers.etag) })).status, 304)
})

t.test('every file that the page and its modules name exists', async (t) => {
  const { text } = await get('/console')
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => `/${path}`)
  t.ok(named.includes('/console/files/main.js'))
  for (const path of named) t.equal((await get(path)).status, 200, path)
  const imported = new Set<string>()
  for (const name of globSync('*.js', { cwd: pages })) {
    for (const [, path] of source(name).matchAll(/from '([^']+)'/g)) imported.add(path!)
  }
  for (const path of imported) t.ok(names.includes(path.replace(/^\.\//, '')), path)
  const unused = names.filter((name) => name.endsWith('.js') && name !== 'main.js' && !imported.has(`./${name}`))
  t.same(unused, [], 'and no module is there for nothing')
})

t.test('an address with a slash at the end leads to the page', async (t) => {
  const { status, headers } = await get('/console/')
  t.same([status, headers.location], [308, '/console'])
})

t.test('no foreign text becomes HTML or code, and no page contains inline styles', async (t) => {
  for (const name of globSync('*.js', { cwd: pages })) {
    t.notMatch(
      source(name),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|srcdoc|style="|cssText/,
      name,
    )
  }
})

function source(name: string): string {
  return readFileSync(join(pages, name), 'utf8')
}
