import t from 'tap'
import { startTestServer, violations } from './test_server.ts'

const phone = '+5215512345678'
const send = { template_name: 'order_update', language: 'en_US', recipients: [{ phone }] }
const id = '66f2a0c1d4e5f60718293a4b'

t.test('an invalid bulk send is refused with every violation', async (t) => {
  const { call, asked } = await startTestServer(t)
  const large = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`v${n}`, 'x']))
  const cases: [object, string[]][] = [
    [{}, ['template_name required', 'language required', 'recipients required']],
    [{ ...send, recipients: [] }, ['recipients too_short']],
    [{ ...send, recipients: Array(5001).fill({ phone }) }, ['recipients too_long']],
    [{ ...send, recipients: Array(5001).fill(0) }, ['recipients too_long']],
    [{ ...send, recipients: { 0: { phone } } }, ['recipients invalid_type']],
    [
      { ...send, recipients: [0, null, 'x', []] },
      [0, 1, 2].map((n) => `recipients.${n} invalid_type`).concat(['recipients.3 invalid_type']),
    ],
    [{ ...send, recipients: [{ phone }, {}] }, ['recipients.1.phone required']],
    [
      {
        ...send,
        recipients: ['5215512345678', '+0123456789', '+123456', '+1234567890123456', ' +5215512345678', 5].map(
          (phone) => ({ phone }),
        ),
      },
      [...[0, 1, 2, 3, 4].map((n) => `recipients.${n}.phone invalid_format`), 'recipients.5.phone invalid_type'],
    ],
    [
      {
        ...send,
        recipients: [
          { phone, name: 'Ana', age: 3 },
          { phone: 'x', name: 'Bo' },
        ],
      },
      [
        'recipients.0.name unknown_property',
        'recipients.0.age unknown_property',
        'recipients.1.name unknown_property',
        'recipients.1.phone invalid_format',
      ],
    ],
    [
      {
        ...send,
        recipients: [
          { phone, variables: { 1: 'a', 2: 5, 3: '', 4: 'x'.repeat(4097) } },
          { phone, variables: ['a'] },
        ],
      },
      ['recipients.1.variables invalid_type'],
    ],
    [{ ...send, recipients: [{ phone, variables: large }] }, ['recipients.0.variables too_long']],
    [
      { ...send, recipients: [{ phone, variables: { constructor: 'x' } }] },
      ['recipients.0.variables.constructor invalid_value'],
    ],
    [{ ...send, template_name: '', language: 'English' }, ['template_name too_short', 'language invalid_format']],
    [
      { ...send, channel_id: 'x', phone_number_id: 'a b', campaign_name: '' },
      ['channel_id invalid_format', 'phone_number_id invalid_format', 'campaign_name too_short'],
    ],
    [{ ...send, company: 1, project_id: 2 }, ['company unknown_property', 'project_id unknown_property']],
  ]
  for (const [json, expected] of cases) {
    const answer = await call('/v1/messages/bulk', { method: 'POST', json })
    const shown = JSON.stringify(json).slice(0, 200)
    t.equal(answer.status, 400, shown)
    t.strictSame(violations(answer), expected, shown)
  }
  t.ok(asked.every(({ command, scope }) => command === undefined && scope === 'messages:bulk'))
})

t.test('every bad phone is named by its index, however many there are', async (t) => {
  const { call } = await startTestServer(t)
  const recipients = Array.from({ length: 5000 }, (_, n) => ({ phone: n % 2 === 0 ? phone : 'nobody' }))
  const answer = await call('/v1/messages/bulk', { method: 'POST', json: { ...send, recipients } })
  t.equal(answer.status, 400)
  const expected = Array.from({ length: 2500 }, (_, n) => `recipients.${2 * n + 1}.phone invalid_format`)
  t.strictSame(violations(answer), expected)
})

t.test('a body may have 10 MiB, and no more', async (t) => {
  const { call } = await startTestServer(t)
  const variables = { 1: 'x'.repeat(2000) }
  const recipients = Array.from({ length: 5000 }, () => ({ phone, variables }))
  // A missing channel is the last violation to be checked: everything else in the body is valid.
  const taken = await call('/v1/messages/bulk', { method: 'POST', json: { ...send, recipients } })
  t.match(taken, { status: 422, body: { error: { code: 'CHANNEL_NOT_CONNECTED' } } })
  const wide = { 1: 'x'.repeat(2200) }
  const larger = { ...send, recipients: recipients.map(() => ({ phone, variables: wide })) }
  const refused = await call('/v1/messages/bulk', { method: 'POST', json: larger })
  t.match(refused, { status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE', details: { limit: 10_485_760 } } } })
})

t.test('an invalid request for broadcasts is refused', async (t) => {
  const { call, asked } = await startTestServer(t)
  const cases: [string, string[]][] = [
    ['bulk?status=sent', ['status invalid_value']],
    [
      'bulk?channel_id=x&cursor=msg_1&limit=0',
      ['channel_id invalid_format', 'limit too_small', 'cursor invalid_format'],
    ],
    [`bulk/brd_${id}/recipients?status=queued&cursor=-1`, ['status invalid_value', 'cursor invalid_format']],
    [`bulk/brd_${id}/recipients?limit=201`, ['limit too_large']],
    [`bulk/brd_${id}?x=1`, ['x unknown_property']],
  ]
  for (const [path, expected] of cases) {
    const answer = await call(`/v1/messages/${path}`)
    t.equal(answer.status, 400, path)
    t.strictSame(violations(answer), expected, path)
  }
  for (const path of ['x', `msg_${id}`, `brd_${id}`, `brd_${id}/recipients`, `brd_${id}/recipients.csv`]) {
    const answer = await call(`/v1/messages/bulk/${path}`)
    t.match(answer, { status: 404, body: { error: { code: 'BROADCAST_NOT_FOUND' } } }, path)
  }
  t.ok(asked.every(({ scope }) => scope === 'messages:bulk'))
})
