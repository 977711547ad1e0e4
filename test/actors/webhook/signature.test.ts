import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import t from 'tap'
import { envelopeOf, makeSecret, secretPrefix, signatureHeaders, testData } from '../../../actors/webhook/mod.ts'

t.test('secrets', async (t) => {
  const secret = makeSecret()
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  t.equal(secretPrefix(secret), secret.slice(0, 12))
  t.not(makeSecret(), secret)
})

t.test('our own signature', async (t) => {
  const secret = makeSecret()
  const headers = signatureHeaders(secret, 'evt_1', 1_795_000_000, '{"a":"é"}')
  const [, timestamp, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['X-Svc-Signature']) ?? []
  t.equal(timestamp, '1795000000')
  t.equal(hex, createHmac('sha256', secret).update('1795000000.{"a":"é"}', 'utf8').digest('hex'))
})

t.test('stock libraries verify any body', async () => {
  const now = Math.floor(Date.now() / 1000)
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (data) => {
      const secret = makeSecret()
      const body = envelopeOf({
        id: 'evt_1',
        type: 'crm.ticket.updated',
        created_at: new Date(),
        project_id: 'p',
        data,
      })
      const headers = { ...signatureHeaders(secret, 'evt_1', now, body) }
      new StandardWebhook(secret).verify(body, headers)
      new SvixWebhook(secret).verify(body, headers)
    }),
    { numRuns: 50 },
  )
})

t.test('stock libraries refuse another body, secret or id', async (t) => {
  const secret = makeSecret()
  const headers = { ...signatureHeaders(secret, 'evt_1', Math.floor(Date.now() / 1000), '{}') }
  const verify = (key: string, body: string, given: Record<string, string>) => () =>
    new StandardWebhook(key).verify(body, given)
  t.doesNotThrow(verify(secret, '{}', headers))
  t.throws(verify(secret, '{ }', headers))
  t.throws(verify(makeSecret(), '{}', headers))
  t.throws(verify(secret, '{}', { ...headers, 'webhook-id': 'evt_2' }))
})

t.test('the envelope', async (t) => {
  const created_at = new Date('2026-11-21T03:00:00.123Z')
  t.equal(
    envelopeOf({ id: 'evt_1', type: 'crm.note.created', created_at, project_id: 'p', data: { a: 1 } }),
    '{"id":"evt_1","type":"crm.note.created","created_at":"2026-11-21T03:00:00.123Z","project_id":"p","data":{"a":1}}',
  )
  t.strictSame(testData({ a: 1, _test: false }), { a: 1, _test: true })
})
