/** The console's page: the way the server delivers it, and the things it must never do. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { request } from 'undici'
import { consolePageRoutes } from '../../http/console/pages.ts'
import { readRelease } from '../../http/console/release.ts'
import { startTestServer } from './test_server.ts'

/** Maximum bytes of JavaScript, compressed by gzip, that are loaded before the inbox is seen. */
const MAX_FIRST_BYTES = 45_000
/** The page, its start, its styles and its icon are among them. */
const MAX_FIRST_FILES = 8

const server = await startTestServer(t, { routes: consolePageRoutes() })
const pages = join(import.meta.dirname, '../../http/console/page')
const release = readRelease()
const names = [...release.files.keys()]
const modules = globSync('**/*.{ts,tsx}', { cwd: pages })
const at = `/console/files/${release.name}`
const TYPES: Record<string, string> = {
  js: 'text/javascript',
  css: 'text/css',
  html: 'text/html',
  map: 'application/json',
  svg: 'image/svg+xml',
}

const get = (path: string, headers: Record<string, string> = {}) => server.call(path, { token: null, headers })

t.test('files have the type of their name, and stay with browsers for good', async (t) => {
  for (const name of names) {
    const path = `${at}/${name}`
    const answer = { ...(await get(path)), body: undefined }
    const headers = {
      'content-type': `${TYPES[name.split('.').at(-1)!]}; charset=utf-8`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      etag: /^"[\w-]{22}"$/,
    }
    t.match(answer, { status: 200, headers, text: /./ }, path)
  }
})

t.test('files are compressed for those that take them so', async (t) => {
  const url = `http://127.0.0.1:${server.port}${at}/first.css`
  const whole = release.files.get('first.css')!.body
  const raw = async (accepted: string) => {
    const { headers, body } = await request(url, { headers: { 'accept-encoding': accepted } })
    return { encoding: headers['content-encoding'], etag: headers.etag, body: Buffer.from(await body.arrayBuffer()) }
  }
  const [br, gzip, plain] = await Promise.all([raw('gzip, br'), raw('br;q=0, gzip'), raw('identity')])
  t.same([br.encoding, gzip.encoding, plain.encoding], ['br', 'gzip', undefined])
  t.ok(brotliDecompressSync(br.body).equals(whole))
  t.ok(gunzipSync(gzip.body).equals(whole))
  t.ok(plain.body.equals(whole))
  t.equal(new Set([br.etag, gzip.etag, plain.etag]).size, 3)
})

t.test('the page and its start are revalidated, because their address never changes', async (t) => {
  for (const path of ['/console', '/console/boot.js']) {
    const { status, headers } = await get(path)
    t.equal(status, 200)
    t.equal(headers['cache-control'], 'no-cache')
    const again = await get(path, { 'if-none-match': `W/"other", ${headers.etag}` })
    t.same([again.status, again.text, again.headers.etag], [304, '', headers.etag], path)
    t.equal((await get(path, { 'if-none-match': '"other"' })).status, 200)
  }
})

t.test('a file of another release is not there, so that modules of two releases never meet', async (t) => {
  const { status, headers } = await get('/console/files/0123456789abcdef/main.js')
  t.equal(status, 404)
  t.notMatch(String(headers['cache-control']), /max-age/)
})

t.test('the inbox needs at most 45 KB of JavaScript, in at most 8 files with all else', async (t) => {
  const scripts = release.first_scripts.map((name) => release.files.get(name)!)
  const sum = [release.boot, ...scripts].reduce((all, { body }) => all + gzipSync(body).length, 0)
  t.ok(sum <= MAX_FIRST_BYTES, `${sum} bytes in ${release.first_scripts}`)
  const loaded = new Set(release.first_scripts)
  // The loop also visits the files that it adds.
  for (const name of loaded) for (const one of importsOf(name)) if (!one.is_later) loaded.add(one.name)
  t.same([...loaded], release.first_scripts, 'and they import no other')
  const { text } = await get('/console')
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
  t.ok(1 + named.length <= MAX_FIRST_FILES, `the page names ${named.length} files`)
})

t.test('scripts are served without comments and spaces, and name their source map', async (t) => {
  t.ok(scripts().length > 50)
  for (const name of scripts()) {
    const text = release.files.get(name)!.body.toString()
    const [code, comment] = text.split('\n//# sourceMappingURL=')
    t.notMatch(code, /\/\*\*|^\s*\/\/|\n {2,}(?:const|return) /m, name)
    t.equal(comment?.trim(), `${name}.map`)
    t.ok(release.files.has(`${name}.map`))
  }
  const { sources, sourcesContent } = JSON.parse(release.files.get('main.js.map')!.body.toString())
  t.ok(sources.length > 50)
  t.equal(sourcesContent.length, sources.length, 'with the sources')
  const [, comment = ''] = release.boot.body.toString().split('\n//# sourceMappingURL=')
  t.equal((await get(`/console/${comment.trim()}`)).status, 200, 'the start, which is served elsewhere, too')
})

t.test('nothing else is served', async (t) => {
  for (const name of [
    'nothing.js',
    'pages.ts',
    'app/pages.ts',
    'ui/main.js',
    '..%2fpages.ts',
    '..%2f..%2froute.ts',
    '',
    'preact.js.map',
    'MAIN.JS',
    'mainxjs',
    'app/main.js',
    'page.html',
    'boot.ts',
  ])
    t.equal((await get(`${at}/${name}`)).status, 404, name)
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
    "img-src 'self' https: blob:",
    "media-src 'self' https: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ])
    t.ok(rules.includes(rule), rule)
  const others = rules.filter((rule) => !/^(?:img|media)-src /.test(rule))
  t.notMatch(others.join(), /unsafe|\*|https?:|data:|blob:/)
  t.notMatch(text, /<script(?![^>]*\bsrc=)|\bon\w+=|style=/, 'nothing inline')
  t.equal((await get('/console', { 'if-none-match': String(headers.etag) })).status, 304)
})

t.test('every file that the page and its modules name exists, and no other', async (t) => {
  const { text } = await get('/console')
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => `/${path}`)
  t.ok(named.includes('/console/boot.js'))
  t.ok(named.includes(`${at}/main.js`))
  for (const path of named) t.equal((await get(path)).status, 200, path)
  const used = new Set(['main.js'])
  for (const name of scripts()) {
    const text = release.files.get(name)!.body.toString()
    for (const { name: imported } of importsOf(name)) used.add(imported)
    for (const [, style] of text.matchAll(/"([a-z_]+\.css)"/g)) used.add(style!)
  }
  for (const name of used) t.ok(names.includes(name), name)
  const files = [...scripts(), ...names.filter((name) => name.endsWith('.css') && name !== 'first.css')]
  t.same(
    files.filter((name) => !used.has(name)),
    [],
    'and no file is there for nothing',
  )
})

t.test('an address with a slash at the end leads to the page', async (t) => {
  const { status, headers } = await get('/console/')
  t.same([status, headers.location], [308, '/console'])
})

t.test('no foreign text becomes HTML or code, and no page contains inline styles', async (t) => {
  const unsafe =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|srcdoc|style="|cssText|dangerouslySet/
  t.ok(modules.length > 200)
  t.same(
    modules.filter((name) => unsafe.test(source(name))),
    [],
  )
})

function source(name: string): string {
  return readFileSync(join(pages, name), 'utf8')
}

function scripts(): string[] {
  return names.filter((name) => name.endsWith('.js'))
}

/** The scripts that a script imports, at once or later. */
function importsOf(script: string): { name: string; is_later: boolean }[] {
  const text = release.files.get(script)!.body.toString()
  return [...text.matchAll(/(?:from|(import\()|import)"\.\/([^"]+\.js)"/g)].map(([, later, name]) => ({
    name: name!,
    is_later: later !== undefined,
  }))
}
