import t from 'tap'
import type { SendFailure } from '../../../../actors/providers/provider.ts'
import { hostile } from '../../outbound/hostile.ts'
import { simulated } from '../simulated.ts'
import { phoneSide } from './phone.ts'

const options = {
  account: { channel_id: 'c', name: 'Phone', provider_account_id: null, credentials: {} },
  to: '5511999999999',
  opaque: 'msg_66f2a0c1d4e5f60718293a4d',
  fileOf: () => {
    throw new Error('no file is named')
  },
}

t.test('each answer of the gateway has its meaning', async (t) => {
  const { provider, credentials } = phoneSide()
  t.teardown(() => provider.close())
  const request = provider.build({ type: 'text', body: 'Hi' }, options)
  const reply = (status: number, body: string) =>
    `HTTP/1.1 ${status} Some\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const said = (status: number, message: unknown) =>
    reply(status, JSON.stringify({ status, error: 'Some', response: { message } }))
  const missing = { jid: '1@s.whatsapp.net', exists: false, number: '5511999999999' }
  const cases: [string, string, Partial<SendFailure>][] = [
    ['a wrong key', said(401, 'Unauthorized'), { kind: 'disconnect', code: '401' }],
    ['no such instance', said(404, ['The "x" instance does not exist']), { kind: 'disconnect', code: '404' }],
    [
      'not on WhatsApp',
      said(400, [missing]),
      { kind: 'refuse', code: 'not_on_whatsapp', message: /5511999999999/ as never },
    ],
    [
      'a body that the schema refuses',
      said(400, [['instance requires property "text"']]),
      { kind: 'refuse', code: '400', message: 'instance requires property "text"' },
    ],
    ['no connection', said(400, ['Error: Connection Closed']), { kind: 'retry', maybe_accepted: false }],
    [
      'sent, but not written down',
      said(400, ['PrismaClientKnownRequestError: Invalid `prisma.message.create()`']),
      { kind: 'unknown', maybe_accepted: true },
    ],
    [
      'a file that cannot be fetched',
      said(500, ['AxiosError: Request failed with status code 404']),
      { kind: 'refuse' },
    ],
    [
      'a bug',
      said(500, ["TypeError: Cannot read properties of undefined (reading 'state')"]),
      { kind: 'unknown', maybe_accepted: true },
    ],
    ['too fast', said(429, 'Too Many Requests'), { kind: 'slow_down', scope: 'channel' }],
    ['a proxy fails', reply(504, '<html>'), { kind: 'unknown', code: 'http_504', maybe_accepted: true }],
    [
      '201 without an id',
      reply(201, '{"key":{}}'),
      { kind: 'unknown', code: 'invalid_response', maybe_accepted: true },
    ],
  ]
  for (const [name, answer, failure] of cases) {
    const server = await hostile((socket) => socket.end(answer))
    const outcome = await provider.send({ ...credentials, api_base_url: `http://127.0.0.1:${server.port}/` }, request)
    t.match(outcome, { failure }, name)
    t.match(server.received(), /^POST \/message\/sendText\/shop%20phone HTTP/)
    t.match(server.received(), /apikey: B6D711FCDE4D4FD5936544120E713976\r\n/i)
    await server.close()
  }
})

t.test('a send whose answer is lost is proven by the events, under our id', async (t) => {
  const { provider, far, calls } = await simulated(t, phoneSide(), {
    statuses: { sent_ms: 5, delivered_ms: 10, read_ms: 15 },
    webhooks: { in_flight: 1 },
  })
  const request = provider.build({ type: 'text', body: 'Hi' }, options)
  await far.fail('reset_after')
  t.match(await provider.send(far.credentials, request), { failure: { maybe_accepted: true } })
  while (calls.length < 4) await new Promise((resolve) => setTimeout(resolve, 5))
  const account = { ...options.account, credentials: far.credentials }
  const items = calls.flatMap((call) => provider.hook!.read(call, account, new Date()).items)
  const about = { kind: 'status', opaque: options.opaque, provider_message_id: '3EB066F2A0C1D4E5F60718293A4D' }
  t.match(items, [
    { ...about, status: 'sent' },
    { ...about, status: 'sent' },
    { ...about, status: 'delivered' },
    { ...about, status: 'read' },
  ])
  await provider.send(far.credentials, request)
  const ids = new Set((await far.sent()).map(({ id }) => id))
  t.equal(ids.size, 1, 'sent again, it is the same message to WhatsApp')
})

t.test('a probe sees whether the phone is connected', async (t) => {
  const { provider, far } = await simulated(t, phoneSide())
  t.match(await provider.probe(far.credentials), { account: { instanceName: 'shop phone', state: 'open' } })
  await far.control('PUT', 'instances/state', { state: 'close', reason: 401 })
  t.match(await provider.probe(far.credentials), {
    failure: { kind: 'disconnect', code: 'not_paired', message: /state is close/, maybe_accepted: false },
  })
  const request = provider.build({ type: 'text', body: 'Hi' }, options)
  t.match(await provider.send(far.credentials, request), { failure: { kind: 'retry', maybe_accepted: false } })
  t.match(await provider.probe({ ...far.credentials, instance: 'other' }), { failure: { code: '404' } })
})
