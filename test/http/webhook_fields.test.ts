import t from 'tap'
import { type Answer, startTestServer, violations } from './test_server.ts'

const valid = { name: 'Orders', url: 'https://example.com/hook', events: ['whatsapp.message.received'] }
const known = 'wh_66f2a0c1d4e5f60718293a4b'
const urlOf = (length: number) => `https://example.com/${'x'.repeat(length - 'https://example.com/'.length)}`
const headersOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-Mine-${n}`, 'x']))

const RESERVED = [
  'X-Svc-Signature',
  'X-Svc-Event',
  'X-Svc-Delivery',
  'X-Svc-Attempt',
  'x-svc-anything',
  'webhook-id',
  'Webhook-Timestamp',
  'webhook-signature',
  'User-Agent',
  'Host',
  'Content-Length',
  'Content-Type',
  'Content-Encoding',
  'Transfer-Encoding',
  'Connection',
  'Keep-Alive',
  'Proxy-Connection',
  'Proxy-Authorization',
  'TE',
  'Trailer',
  'Upgrade',
  'Expect',
  'Accept-Encoding',
]

/** A change of a valid body, and its violations as `path code`. */
type Case = [change: Record<string, unknown>, wrong: string[]]

const names: Case[] = [
  [{ name: 'ab' }, ['name too_short']],
  [{ name: 'x'.repeat(121) }, ['name too_long']],
  [{ name: '👍👍' }, ['name too_short']],
  [{ name: '👍'.repeat(121) }, ['name too_long']],
  [{ name: '' }, ['name too_short', 'name invalid_value']],
  [{ name: '     ' }, ['name invalid_value']],
  [{ name: '\u3000\u00a0\u2003' }, ['name invalid_value']],
  [{ name: 'Orders\r\nBcc: all@example.com' }, ['name invalid_value']],
  [{ name: 'Or\u0007ders' }, ['name invalid_value']],
  [{ name: 'Or\0ders' }, ['name invalid_character']],
  [{ name: 'Or\ud800ders' }, ['name invalid_character']],
  [{ name: null }, ['name invalid_type']],
  [{ name: ['Orders'] }, ['name invalid_type']],
]

const urls: Case[] = [
  'http://example.com/hook',
  'HTTP://example.com/hook',
  'ftp://example.com/hook',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://',
  'https:///hook',
  'https:example.com/hook',
  'https:/example.com/hook',
  'https://example.com:99999/',
  'example.com/hook',
  '/hook',
  '//example.com/hook',
  '',
  ' https://example.com/',
  'https://example.com/a b',
  'https://exa\nmple.com/',
  'https://example.com/\thook',
  'https:\\\\example.com\\hook',
  'https://user:secret@example.com/',
  'https://user@example.com/',
  'https://:secret@example.com/',
  'https://example.com/hook#part',
  'https://example.com/#',
  'https://localhost/hook',
  'https://api.localhost/hook',
  'https://localhost./hook',
  'https://127.0.0.1/hook',
  'https://127.1/hook',
  'https://2130706433/hook',
  'https://0x7f000001/hook',
  'https://0177.0.0.1/hook',
  'https://0.0.0.0/hook',
  'https://10.0.0.1/hook',
  'https://172.16.0.1/hook',
  'https://192.168.1.1:8443/hook',
  'https://100.64.0.1/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://224.0.0.1/hook',
  'https://255.255.255.255/hook',
  'https://[::1]/hook',
  'https://[::]/hook',
  'https://[fe80::1]/hook',
  'https://[fc00::1]/hook',
  'https://[::ffff:10.0.0.1]/hook',
  'https://[64:ff9b::a00:1]/hook',
  'https://[2002:a00:1::]/hook',
  'https://[2001:0:a00:1::]/hook',
].map((url) => [{ url }, ['url invalid_value']])

const events: Case[] = [
  [{ events: [] }, ['events too_short']],
  [{ events: 'whatsapp.message.received' }, ['events invalid_type']],
  [{ events: { 0: 'whatsapp.message.received' } }, ['events invalid_type']],
  [{ events: ['crm.tick*'] }, ['events.0 invalid_value']],
  [{ events: ['*.created'] }, ['events.0 invalid_value']],
  [{ events: ['crm.*.created'] }, ['events.0 invalid_value']],
  [{ events: ['crm.**'] }, ['events.0 invalid_value']],
  [{ events: ['.*'] }, ['events.0 invalid_value']],
  [{ events: ['sms.*'] }, ['events.0 invalid_value']],
  [{ events: ['crm.tickets.*'] }, ['events.0 invalid_value']],
  [{ events: ['crm.ticket.created.*'] }, ['events.0 invalid_value']],
  [{ events: ['crm.*', 'crm.*'] }, ['events.1 duplicate']],
  [{ events: ['crm.note.created', 'crm.*', 'crm.ticket.*'] }, ['events.0 duplicate', 'events.2 duplicate']],
  [{ events: ['*', 'web.message.read'] }, ['events.1 duplicate']],
  [{ events: ['WhatsApp.Message.Received'] }, ['events.0 invalid_value']],
  [{ events: [null] }, ['events.0 invalid_type']],
  [{ events: ['x'.repeat(101)] }, ['events.0 too_long', 'events.0 invalid_value']],
  [
    { events: ['web.message.read', 'whatsapp.message.lost', 'web.message.read', 'crm.note.created', 7] },
    ['events.1 invalid_value', 'events.4 invalid_type', 'events.2 duplicate'],
  ],
  [{ events: Array.from({ length: 101 }, () => 'web.message.read') }, ['events too_long']],
  // A comparison of each with every other would take minutes.
  [{ events: Array.from({ length: 150_000 }, (_, n) => n) }, ['events too_long']],
]

const headers: Case[] = [
  ...RESERVED.map((name): Case => [{ headers: { [name]: 'x' } }, [`headers.${name} invalid_value`]]),
  [{ headers: [] }, ['headers invalid_type']],
  [{ headers: 'X-Mine: x' }, ['headers invalid_type']],
  [{ headers: null }, ['headers invalid_type']],
  [{ headers: { 'X-Mine': 1, 'X-Yours': ['x'] } }, ['headers.X-Mine invalid_type', 'headers.X-Yours invalid_type']],
  [{ headers: { 'X-Mine': null } }, ['headers.X-Mine invalid_type']],
  [{ headers: { 'X-Mine': 'x\r\nHost: evil' } }, ['headers.X-Mine invalid_value']],
  [{ headers: { 'X-Mine': 'x\ny' } }, ['headers.X-Mine invalid_value']],
  [{ headers: { 'X-Mine': 'x\ry' } }, ['headers.X-Mine invalid_value']],
  [{ headers: { 'X-Mine': 'x\u007f' } }, ['headers.X-Mine invalid_value']],
  [{ headers: { 'X-Mine': 'ü' } }, ['headers.X-Mine invalid_value']],
  [{ headers: { 'X-Mine': ' x' } }, ['headers.X-Mine invalid_value']],
  [{ headers: { 'X-Mine': 'x'.repeat(4097) } }, ['headers.X-Mine invalid_value']],
  [{ headers: { 'X-Mine\r\nHost': 'x' } }, ['headers.X-Mine\r\nHost invalid_value']],
  [{ headers: { 'X Mine': 'x' } }, ['headers.X Mine invalid_value']],
  [{ headers: { 'X-Mine:': 'x' } }, ['headers.X-Mine: invalid_value']],
  [{ headers: { 'X-Möhre': 'x' } }, ['headers.X-Möhre invalid_value']],
  [{ headers: { '': 'x' } }, ['headers. invalid_value']],
  [{ headers: { ['x'.repeat(129)]: 'x' } }, [`headers.${'x'.repeat(129)} invalid_value`]],
  [{ headers: { Accept: '1', accept: '2' } }, ['headers.accept invalid_value']],
  [{ headers: headersOf(51) }, ['headers invalid_value']],
  [{ headers: JSON.parse('{"__proto__":"x"}') }, ['headers.__proto__ invalid_value']],
  [{ headers: { constructor: 'x' } }, ['headers.constructor invalid_value']],
]

const others: Case[] = [
  [{ is_active: 'true' }, ['is_active invalid_type']],
  [{ is_active: 1 }, ['is_active invalid_type']],
  [{ ordering: 'strict' }, ['ordering invalid_value']],
  [{ ordering: null, concurrency: null }, ['ordering invalid_value', 'concurrency invalid_type']],
  [{ concurrency: 0 }, ['concurrency too_small']],
  [{ concurrency: 65 }, ['concurrency too_large']],
  [{ concurrency: 1.5 }, ['concurrency invalid_value']],
  [{ concurrency: '8' }, ['concurrency invalid_type']],
  [{ payload: 'slim', format: 'xml' }, ['payload invalid_value', 'format invalid_value']],
  [{ disable_on_410: 'yes' }, ['disable_on_410 invalid_type']],
  [{ secret: 'whsec_x' }, ['secret unknown_property']],
  [{ project: 'x', company: 'y' }, ['project unknown_property', 'company unknown_property']],
  [{ failure_count: 0, disabled_reason: null, id: known }, ['failure_count', 'disabled_reason', 'id'].map(unknown)],
  [
    { name: 'x', url: 'x', events: ['x'], headers: { host: 'x' }, is_active: 'x', x: 'x' },
    ['x unknown_property', 'name too_short', 'url invalid_value', 'events.0 invalid_value'].concat(
      'headers.host invalid_value',
      'is_active invalid_type',
    ),
  ],
]

function unknown(name: string): string {
  return `${name} unknown_property`
}

const cases = [
  ...names,
  ...urls,
  [{ url: urlOf(2049) }, ['url too_long']] as Case,
  [{ url: null }, ['url invalid_type']] as Case,
  ...events,
  ...headers,
  ...others,
]

t.test('an invalid subscription is refused by name at creation and change, and reaches no actor', async (t) => {
  const { call, asked } = await startTestServer(t)
  const say = (json: object) => JSON.stringify(json).slice(0, 100)
  function refuses(answer: Answer, wrong: string[], what: string): void {
    t.equal(answer.status, 400, what)
    t.equal(answer.body.error.code, 'VALIDATION_ERROR', what)
    t.strictSame(violations(answer).toSorted(), wrong.toSorted(), what)
    const { violations: all } = answer.body.error.details
    for (const { message } of all) t.match(message, /^(?:must |is |may not )/, `${what}: ${message}`)
  }
  for (const [change, wrong] of cases) {
    const created = await call('/v1/webhooks', { method: 'POST', json: { ...valid, ...change } })
    refuses(created, wrong, `POST ${say(change)}`)
    const changed = await call(`/v1/webhooks/${known}`, { method: 'PATCH', json: change })
    refuses(changed, wrong, `PATCH ${say(change)}`)
  }
  const many = await call('/v1/webhooks', { method: 'POST', json: { ...valid, headers: headersOf(51) } })
  t.match(many.body.error.details.violations, [{ message: /^must have at most 50 entries$/ }])
  refuses(
    await call('/v1/webhooks', { method: 'POST', json: {} }),
    ['name required', 'url required', 'events required'],
    'POST {}',
  )
  t.ok(asked.length > 0)
  t.strictSame(
    asked.filter(({ command }) => command),
    [],
    'no command',
  )
})

t.test('the refusal of a private address names the setting that allows it', async (t) => {
  const { call } = await startTestServer(t)
  for (const url of ['https://10.0.0.1/hook', 'http://10.0.0.1/hook']) {
    const { body } = await call('/v1/webhooks', { method: 'POST', json: { ...valid, url } })
    t.match(body.error.message, /^url must .* in PARLEY_ALLOW_NETWORKS$/, url)
  }
})

t.test('the refusal of a pattern says what would do', async (t) => {
  const { call } = await startTestServer(t)
  const messages = async (events: string[]) => {
    const { body } = await call('/v1/webhooks', { method: 'POST', json: { ...valid, events } })
    return body.error.details.violations.map(({ message }: { message: string }) => message)
  }
  t.match(await messages(['crm.tickets.*']), [
    /^is a pattern that no event type matches: crm\.\* has crm\.ticket\.created, /,
  ])
  t.match(await messages(['sms.*']), [
    /^is a pattern that no event type matches: the types begin with whatsapp\., .*crm\./,
  ])
  t.match(await messages(['crm.tick*']), [/after a dot, such as crm\.ticket\.\*$/])
  t.match(await messages(['crm.*', 'crm.ticket.*']), ['is one of crm.*; leave it out'])
})

t.test('a polled subscription is made without an address, and a pushed one with an address', async (t) => {
  const { call, asked } = await startTestServer(t)
  const { url, ...polled } = { ...valid, mode: 'poll' }
  t.equal((await call('/v1/webhooks', { method: 'POST', json: polled })).status, 201)
  t.match(asked.at(-1)?.command, { type: 'create_webhook', ...polled })
  const all = { ...polled, url, headers: {}, ordering: 'none', concurrency: 1, ed25519: false, disable_on_410: false }
  const refused = await call('/v1/webhooks', { method: 'POST', json: all })
  t.strictSame(
    violations(refused),
    ['url', 'headers', 'ordering', 'concurrency', 'ed25519', 'disable_on_410'].map((name) => `${name} invalid_value`),
  )
  const missing = await call('/v1/webhooks', { method: 'POST', json: { ...polled, mode: 'push' } })
  t.strictSame(violations(missing), ['url required'])
  const changed = await call(`/v1/webhooks/${known}`, { method: 'PATCH', json: { mode: 'poll' } })
  t.strictSame(violations(changed), ['mode unknown_property'])
})

t.test('every valid form of a subscription is accepted', async (t) => {
  const { call, asked } = await startTestServer(t)
  const good: Record<string, unknown>[] = [
    { name: 'abc' },
    { name: 'x'.repeat(120) },
    { name: '👍👍👍' },
    { name: '👍'.repeat(120) },
    { name: 'Pedidos – ñandú 注文' },
    { url: urlOf(2048) },
    { url: 'https://example.com' },
    { url: 'https://example.com:8443/hook?key=a%20b&x=1' },
    { url: 'https://münchen.example/straße' },
    { url: 'https://93.184.216.34/hook' },
    { url: 'https://[2606:2800:220:1::1]/hook' },
    { events: ['whatsapp.message.received', 'crm.ticket.updated', 'loyalty.ledger.entry_created'] },
    { headers: {} },
    { headers: headersOf(50) },
    { headers: { 'X-Mine': 'x'.repeat(4096) } },
    { headers: { 'X-Mine': '' } },
    { headers: { Authorization: 'Bearer a\tb', Accept: '*/*', Cookie: 'a=b', ['x'.repeat(128)]: 'x' } },
    { is_active: false },
    { ordering: 'subscription', concurrency: 1 },
    { ordering: 'contact', concurrency: 64 },
    { events: ['crm.ticket.*', 'crm.note.created'] },
    { events: ['crm.*', 'whatsapp.message.*'] },
    { events: ['*'] },
    { payload: 'thin', format: 'cloudevents', ed25519: true, disable_on_410: true },
  ]
  for (const change of good) {
    const json = { ...valid, ...change }
    t.equal((await call('/v1/webhooks', { method: 'POST', json })).status, 201, JSON.stringify(change).slice(0, 80))
    t.match(asked.at(-1)?.command, { type: 'create_webhook', ...json })
    t.equal((await call(`/v1/webhooks/${known}`, { method: 'PATCH', json: change })).status, 200)
    t.strictSame(asked.at(-1)?.command, { type: 'update_webhook', id: known, patch: change })
  }
})

t.test('a malformed id is not found, and a malformed body is refused first', async (t) => {
  const { call, asked } = await startTestServer(t)
  const ids = [
    'x',
    'wh_',
    'wh_66f2a0c1d4e5f60718293a4',
    `${known}0`,
    known.slice(3),
    'dlv_'.concat(known.slice(3)),
    '%00',
    "wh_'%20or%201=1--",
  ]
  for (const id of ids) {
    for (const [method, path, json] of [
      ['GET', id],
      ['PATCH', id, {}],
      ['DELETE', id],
      ['GET', `${id}/deliveries`],
      ['POST', `${id}/rotate-secret`],
      ['POST', `${id}/test`, { event_type: 'whatsapp.message.sent' }],
    ] as const) {
      const answer = await call(`/v1/webhooks/${path}`, { method, json })
      t.equal(answer.status, 404, `${method} ${path}`)
      t.equal(answer.body.error.code, 'WEBHOOK_NOT_FOUND', `${method} ${path}`)
    }
    t.equal((await call(`/v1/webhooks/${id}`, { method: 'PATCH', json: { name: 'x' } })).status, 400)
  }
  const cursor = await call(`/v1/webhooks/${known}/deliveries?cursor=${known}`)
  t.equal(cursor.status, 400)
  t.strictSame(violations(cursor), ['cursor invalid_format'])
  t.strictSame(
    asked.filter(({ command }) => command),
    [],
    'no command',
  )
})
