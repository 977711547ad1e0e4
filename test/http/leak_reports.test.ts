/** `POST /secret-scanning/alerts` is GitHub's protocol, and costs strangers' requests nothing. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { reportKeys } from '../../http/routes/tokens/leak_report.ts'
import { silentLog } from '../../runtime/mod.ts'
import { generateTokenSecret } from '../../storage/mod.ts'
import { forged, leaked, leakReporter, type Owner } from '../support/mod.ts'
import { startTestServer } from './test_server.ts'

const PATH = '/secret-scanning/alerts'
const one = leakReporter('one')
const two = leakReporter('two')
const hash = (token: string) => createHash('sha256').update(token).digest('hex')

/** The example of GitHub's documentation. */
const GITHUB = {
  identifier: 'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c',
  key: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAd
AjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==
-----END PUBLIC KEY-----
`,
  signature: 'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==',
  raw: '[{"source":"commit","token":"some_token","type":"some_type","url":"https://example.com/base-repo-url/"}]',
}

async function start(t: Owner, address_people = 200) {
  const keys = reportKeys({ one: one.listed.key, two: two.listed.key, [GITHUB.identifier]: GITHUB.key })
  const server = await startTestServer(t, {
    hooks: { leaks: { keys, log: silentLog } },
    config: { address_people },
    project: () => ({ revoked: [] }) as never,
  })
  const post = (call: { raw: string; headers: Record<string, string> }, query = '') =>
    server.call(`${PATH}${query}`, { method: 'POST', token: null, ...call })
  return { ...server, post }
}

t.test('a report is verified and labelled as GitHub specifies', async (t) => {
  const { post, asked, tenant } = await start(t)
  const { raw, identifier, signature } = GITHUB
  const headers = { 'Github-Public-Key-Identifier': identifier, 'Github-Public-Key-Signature': signature }
  const example = await post({ raw, headers })
  t.equal(example.status, 200)
  t.strictSame(example.body, [{ token_hash: hash('some_token'), token_type: 'some_type', label: 'false_positive' }])

  const unknown = generateTokenSecret().token
  const mangled = forged(tenant.secret)
  const matches = [leaked(tenant.secret), leaked(unknown), leaked(mangled), leaked(tenant.secret, '', 'npm')]
  const answer = await post(two.report(matches))
  t.strictSame(
    answer.body,
    matches.map(({ token, type }) => ({
      token_hash: hash(token),
      token_type: type,
      label: token === tenant.secret ? 'true_positive' : 'false_positive',
    })),
  )
  const [told, ...more] = asked as unknown as { type: string; tokens: object[] }[]
  const places = [
    { url: matches[0]!.url, source: 'commit' },
    { url: '', source: 'npm' },
  ]
  t.equal(told!.type, 'revoke_leaked_tokens')
  t.strictSame(told!.tokens, [{ id: tenant.token._id, places, found: 2 }])
  t.strictSame(more, [], 'the project is told of the token once')
  t.strictSame((await post(one.report([]))).body, [])
})

t.test('a dry run answers the same and revokes nothing', async (t) => {
  const { post, asked, tenant } = await start(t)
  const report = one.report([leaked(tenant.secret)])
  const { status, body } = await post(report, '?dry_run=true')
  t.match({ status, body }, { status: 200, body: [{ label: 'true_positive' }] })
  t.equal((await post(report, '?dry_run=yes')).status, 400, 'a misspelt dry run is no report')
  t.strictSame(asked, [])
})

t.test('a report without a valid signature is refused', async (t) => {
  const { post, asked, tenant } = await start(t)
  const { raw, headers } = one.report([leaked(tenant.secret)])
  const id = 'Github-Public-Key-Identifier'
  const signature = 'Github-Public-Key-Signature'
  const other = two.report([leaked(tenant.secret)]).headers
  const broken: Record<string, { raw?: string; headers?: Record<string, string> }> = {
    'no headers': { headers: {} },
    'an unknown key': { headers: { ...headers, [id]: 'three' } },
    'a property of every object as the key': { headers: { ...headers, [id]: '__proto__' } },
    'the signature of another key': { headers: { ...headers, [signature]: other[signature]! } },
    'a signature that is none': { headers: { ...headers, [signature]: '%%%' } },
    'an empty signature': { headers: { ...headers, [signature]: '' } },
    'the beginning of a signature': { headers: { ...headers, [signature]: headers[signature]!.slice(0, 40) } },
    'a body with a space more': { raw: `${raw} ` },
  }
  for (const [what, change] of Object.entries(broken)) {
    const { status, text } = await post({ raw, headers, ...change })
    t.equal(status, 401, what)
    t.equal(text, '{"message":"Unauthorized","error":"Unauthorized","statusCode":401}', what)
  }
  t.strictSame(asked, [])
})

t.test(
  'a request without signature headers is refused before its body is read, and counts for its address',
  async (t) => {
    const { send, post } = await start(t, 2)
    const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n[`
    t.match(await send(head, /statusCode/), /^HTTP\/1.1 401 /)
    const { raw } = one.report([])
    for (let n = 0; n < 2; n++) t.equal((await post({ raw, headers: {} })).status, 401)
    t.match(await post(one.report([])), { status: 429, headers: { 'retry-after': /\d/ } }, 'the burst of 2 people is 3')
  },
)

t.test('a genuine report that is malformed or too large is refused as a whole', async (t) => {
  const { post, asked, tenant } = await start(t)
  const malformed = ['{}', '', '[1]', '[{"type":"x"}]', JSON.stringify([leaked(tenant.secret), { token: 1 }])]
  for (const raw of malformed)
    t.match(await post(one.report(raw)), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  t.equal((await post(one.report(Array(5001).fill(leaked('x', ''))))).status, 400)
  t.equal((await post(one.report([leaked('x'.repeat(1024 * 1024))]))).status, 413)
  t.strictSame(asked, [])
  const many = await post(one.report(Array(5000).fill(leaked('x', ''))))
  t.equal(many.body.length, 5000)
})
