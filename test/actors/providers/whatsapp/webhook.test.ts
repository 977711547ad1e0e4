import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { challengeAnswer, parseWebhook, verifySignature } from '../../../../actors/providers/whatsapp/mod.ts'
import { peopleOf, personNamed } from '../../../../actors/providers/whatsapp/person_ids.ts'

t.test('signatures', async (t) => {
  const sign = (body: string, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const raw = '{"text":"\\u00e9 \\/"}'
  const good = sign(raw, 'secret')
  t.ok(verifySignature(raw, good, 'secret'))
  t.ok(verifySignature(Buffer.from(raw), good.toUpperCase().replace('SHA256', 'sha256'), 'secret'))
  t.notOk(verifySignature(JSON.stringify(JSON.parse(raw)), good, 'secret'), 'printed again')
  t.notOk(verifySignature(raw, good, 'other'))
  t.notOk(verifySignature(raw, sign(raw, ''), ''), 'no secret set up')
  for (const header of [
    undefined,
    null,
    '',
    'sha256=',
    good.slice(0, -1),
    `${good}0`,
    good.replace('sha256', 'sha1'),
    good.slice(7),
  ])
    t.notOk(verifySignature(raw, header, 'secret'), String(header))
})

t.test('the handshake', async (t) => {
  const query = (fields: Record<string, string>) =>
    new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': 'word',
      'hub.challenge': '1158201444',
      ...fields,
    })
  t.equal(challengeAnswer(query({}), 'word'), '1158201444')
  t.equal(challengeAnswer(query({ 'hub.verify_token': 'wrong' }), 'word'), undefined)
  t.equal(challengeAnswer(query({ 'hub.mode': 'unsubscribe' }), 'word'), undefined)
  t.equal(challengeAnswer(query({ 'hub.verify_token': '' }), ''), undefined)
  t.equal(
    challengeAnswer(new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': 'word' }), 'word'),
    undefined,
  )
})

const now = new Date('2026-11-21T03:00:00Z')
const call = (...values: object[]) =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: 'waba', changes: values.map((value) => ({ field: 'messages', value })) }],
  })
const metadata = { display_phone_number: '15550001111', phone_number_id: 'pn1' }
const ana = { profile: { name: 'Ana' }, wa_id: '34600', user_id: 'ES.1' }
const bob = { profile: { name: 'Bob' }, wa_id: '34601' }

t.test('messages', async (t) => {
  const first = { from: '34600', id: 'wamid.1', timestamp: '1795000000', type: 'text', text: { body: 'Hola' } }
  const second = {
    from: '34601',
    id: 'wamid.2',
    timestamp: '1795000001',
    type: 'text',
    text: { body: 'Hey' },
    context: { from: '1', id: 'wamid.0' },
  }
  const value = { messaging_product: 'whatsapp', metadata, contacts: [ana, bob], messages: [first, second] }
  const items = parseWebhook(call(value), now) ?? []
  t.equal(items.length, 2)
  t.strictSame(items[0], {
    kind: 'message',
    account: 'pn1',
    provider_message_id: 'wamid.1',
    user_id: '34600',
    bsuid: 'ES.1',
    name: 'Ana',
    at: new Date(1_795_000_000_000),
    type: 'text',
    message: { body: 'Hola', type: 'text' },
    context: null,
    value: { messaging_product: 'whatsapp', metadata, contacts: [ana], messages: [first] },
  })
  t.match(items[1], {
    name: 'Bob',
    bsuid: null,
    context: { message_id: 'wamid.0' },
    value: { contacts: [bob], messages: [second] },
  })
})

t.test('the contents of messages are read', async (t) => {
  const contents: [Record<string, unknown>, Record<string, unknown>][] = [
    [
      { type: 'image', image: { id: '9', mime_type: 'image/jpeg', sha256: 'x', caption: 'c' } },
      { type: 'image', media_id: '9', provider_media_id: '9', mime_type: 'image/jpeg', sha256: 'x', caption: 'c' },
    ],
    [
      { type: 'location', location: { latitude: 1, longitude: 2 } },
      { type: 'location', latitude: 1, longitude: 2 },
    ],
    [
      { type: 'contacts', contacts: [{ name: {} }] },
      { type: 'contacts', contacts: [{ name: {} }] },
    ],
    [
      { type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } },
      { type: 'reaction', message_id: 'wamid.0', emoji: '👍' },
    ],
    [
      { type: 'button', button: { payload: 'p', text: 't' } },
      { type: 'button', payload: 'p', text: 't' },
    ],
    [
      {
        type: 'interactive',
        interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', response_json: '{"flow_token":"t"}' } },
      },
      {
        type: 'interactive',
        interactive_type: 'nfm_reply',
        nfm_reply: { name: 'flow', response_json: '{"flow_token":"t"}' },
      },
    ],
    [
      { type: 'unsupported', errors: [{ code: 131051 }] },
      { type: 'unsupported', errors: [{ code: 131051 }] },
    ],
    [
      { type: 'invented', invented: 7 },
      { type: 'unsupported', kind: 'invented', invented: 7 },
    ],
    [{}, { type: 'unknown' }],
  ]
  for (const [raw, message] of contents) {
    const [item] = parseWebhook(call({ metadata, messages: [{ from: '1', id: 'wamid.1', ...raw }] }), now) ?? []
    if (item?.kind !== 'message') return t.fail('no message')
    t.strictSame(item.message, message, String(raw.type))
    t.equal(item.at, now, 'a time that is missing')
  }
})

t.test('people without a number', async (t) => {
  const contact = { profile: { name: 'Eve' }, user_id: 'US.9' }
  const message = { from_user_id: 'US.9', id: 'wamid.1', type: 'text', text: { body: 'x' } }
  const items = parseWebhook(call({ metadata, contacts: [bob, contact], messages: [message, { id: 'wamid.2' }] }), now)
  t.match(items, [
    { user_id: null, bsuid: 'US.9', name: 'Eve' },
    { kind: 'ignored', name: 'messages' },
  ])
  t.equal(items?.length, 2, 'a message from nobody is told of')
})

t.test('statuses', async (t) => {
  const failed = {
    id: 'wamid.3',
    status: 'failed',
    timestamp: '1795000002',
    recipient_id: '34600',
    biz_opaque_callback_data: 'msg_3',
    errors: [{ code: 131047, title: 'Re-engagement message', error_data: { details: 'More than 24 hours' } }],
  }
  const others = [
    { id: 'wamid.1', status: 'delivered', timestamp: '1795000001' },
    { id: 'wamid.2', status: 'played', timestamp: 'soon' },
    { id: 'wamid.4', status: 'warning' },
    { id: 'wamid.5', status: 'constructor' },
    { status: 'sent' },
  ]
  const items = parseWebhook(call({ metadata, statuses: [failed, ...others] }), now) ?? []
  t.strictSame(items[0], {
    kind: 'status',
    account: 'pn1',
    provider_message_id: 'wamid.3',
    status: 'failed',
    at: new Date(1_795_000_002_000),
    opaque: 'msg_3',
    error: { code: '131047', message: 'Re-engagement message: More than 24 hours' },
    raw: failed,
  })
  t.match(items.slice(1), [
    { provider_message_id: 'wamid.1', status: 'delivered', error: null, opaque: null },
    { provider_message_id: 'wamid.2', status: 'read', at: now },
    { kind: 'ignored', name: 'statuses.warning' },
    { kind: 'ignored', name: 'statuses.constructor' },
    { kind: 'ignored', name: 'statuses.sent' },
  ])
  t.equal(items.length, 6)
})

t.test('several numbers in one call', async (t) => {
  const message = (id: string) => ({ from: '1', id, type: 'text', text: { body: 'x' } })
  const other = { phone_number_id: 'pn2' }
  const raw = call({ metadata, messages: [message('a')] }, { metadata: other, messages: [message('b')] })
  t.match(parseWebhook(raw), [
    { account: 'pn1', provider_message_id: 'a' },
    { account: 'pn2', provider_message_id: 'b' },
  ])
})

t.test('changes of templates, Flows and the account are read', async (t) => {
  const told = (field: string, value: object) =>
    parseWebhook(
      JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: 'a', changes: [{ field, value }] }] }),
    )
  const rows: [string, object, object[]][] = [
    [
      'message_template_status_update',
      { event: 'REJECTED', message_template_name: 'hi', message_template_language: 'en_US', reason: 'SCAM' },
      [
        {
          kind: 'template',
          account: null,
          name: 'hi',
          language: 'en_US',
          status: 'REJECTED',
          value: { reason: 'SCAM' },
        },
      ],
    ],
    ['message_template_status_update', { event: 'APPROVED' }, [{ kind: 'ignored', what: 'field' }]],
    [
      'flows',
      { event: 'FLOW_STATUS_CHANGE', flow_id: '12', old_status: 'DRAFT', new_status: 'PUBLISHED' },
      [{ kind: 'flow', provider_flow_id: '12', event: 'FLOW_STATUS_CHANGE', status: 'PUBLISHED' }],
    ],
    [
      'flows',
      { event: 'ENDPOINT_ERROR_RATE', flow_id: '12' },
      [{ kind: 'flow', event: 'ENDPOINT_ERROR_RATE', status: null }],
    ],
    [
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' } },
      [{ kind: 'account', status: 'disconnected', reason: /SCHEDULE_FOR_DISABLE/ }],
    ],
    [
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
      [{ kind: 'account', status: 'connected', reason: null }],
    ],
    ['account_update', { event: 'VERIFIED_ACCOUNT' }, [{ kind: 'ignored', name: 'account_update.VERIFIED_ACCOUNT' }]],
    ['phone_number_quality_update', { event: 'FLAGGED' }, [{ kind: 'ignored', name: 'phone_number_quality_update' }]],
  ]
  for (const [field, value, expected] of rows) {
    const items = told(field, value)
    t.match(items, expected, JSON.stringify(value))
    t.equal(items?.length, expected.length)
  }
})

t.test('bodies of another form are refused', async (t) => {
  for (const raw of ['', 'null', '[]', '7', '{', '{"object":"page","entry":[]}'])
    t.equal(parseWebhook(raw), undefined, raw)
  t.strictSame(parseWebhook('{"object":"whatsapp_business_account"}'), [])
})

t.test('text that the database cannot store is replaced', async (t) => {
  const raw = call({
    metadata,
    contacts: [{ ...bob, profile: { name: 'B\0b\ud800' } }],
    messages: [{ from: '34601', id: 'wamid.1' }],
  })
  t.match(parseWebhook(raw), [{ name: 'B\ufffdb\ufffd' }])
  t.match(parseWebhook(raw.replace(/B.*?"/, '\\ud83d\\ude00"')), [{ name: '😀' }])
})

t.test('every call with the outer form is read', async () => {
  const anything = fc.anything({ withNullPrototype: false, maxDepth: 4 })
  const record = fc.dictionary(
    fc.constantFrom('id', 'from', 'type', 'text', 'timestamp', 'status', 'errors', 'context', 'wa_id'),
    anything,
  )
  const list = fc.oneof(fc.array(fc.oneof(record, anything)), anything)
  const value = fc.record({ metadata: anything, contacts: list, messages: list, statuses: list })
  fc.assert(fc.property(fc.array(value), (values) => Array.isArray(parseWebhook(call(...values)))))
})

t.test('the contacts of a call are read once, however many messages it has', async (t) => {
  let reads = 0
  const count = 1000
  const contacts = Array.from({ length: count }, (_, n) => ({
    get wa_id() {
      reads++
      return `1555${n}`
    },
  }))
  const people = peopleOf({ contacts })
  for (let n = 0; n < count; n++) t.equal(personNamed(people, `1555${n}`, null), contacts[n])
  t.equal(personNamed(people, null, '1555999'), contacts[999])
  t.equal(personNamed(people, '1666', 'US.1'), undefined)
  t.ok(reads <= 2 * count, `${reads} reads`)
})
