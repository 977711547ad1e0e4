import t from 'tap'
import type { Outcome, SendFailure } from '../../../../actors/providers/mod.ts'
import { buildMessage, buildRead, WhatsAppClient } from '../../../../actors/providers/whatsapp/mod.ts'
import { fixture, NUMBER } from '../../../simulator/fixture.ts'
import { drip, type Hostile, hostile } from '../../outbound/hostile.ts'

const client = new WhatsAppClient()
/** For servers that never answer. */
const hasty = new WhatsAppClient({ deadline_ms: 300 })
for (const one of [client, hasty]) t.teardown(() => one.close())

const text = (to: string) => buildMessage({ type: 'text', body: 'Hello' }, { to, opaque: 'msg_1' })
const credentialsAt = (api_base_url: string) => ({ ...NUMBER, api_base_url })

/** Returns the outcome of a send to a server with this behaviour. */
async function outcomeAt(
  behave: Parameters<typeof hostile>[0],
  { by = client, check }: { by?: WhatsAppClient; check?: (server: Hostile) => void } = {},
): Promise<Outcome> {
  const server = await hostile(behave)
  const outcome = await by.send(credentialsAt(`http://127.0.0.1:${server.port}/`), text('15550000001'))
  check?.(server)
  await server.close()
  return outcome
}

const reply = (status: number, body: string, headers = '') =>
  `HTTP/1.1 ${status} Some\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const graphError = (code: number, fields: object = {}) =>
  JSON.stringify({ error: { message: `(#${code}) No`, code, ...fields } })

t.test('an accepted message', async (t) => {
  const body = JSON.stringify({ messaging_product: 'whatsapp', contacts: [], messages: [{ id: 'wamid.7' }] })
  const outcome = await outcomeAt((socket) => socket.end(reply(200, body)), {
    check(server) {
      t.match(server.received(), /^POST \/v25\.0\/106540352242922\/messages HTTP\/1\.1\r\n/)
      t.match(server.received(), /authorization: Bearer EAAsimulatedToken\r\n/i)
      t.match(server.received(), /"to":"15550000001"/)
    },
  })
  t.strictSame(outcome, { sent: 'wamid.7' })
})

t.test('error codes', async (t) => {
  const expected: [SendFailure['kind'], number[]][] = [
    ['disconnect', [0, 190, 368, 131031, 133010]],
    ['retry', [1, 2, 131000, 131016, 131057]],
    ['slow_down', [4, 80007, 130429, 131048, 131056, 132069]],
    [
      'refuse',
      [
        3, 10, 100, 200, 250, 299, 130472, 131005, 131008, 131009, 131021, 131026, 131047, 131049, 131051, 131052,
        131053, 132000, 132001, 132005, 132007, 132012, 132015, 132016, 132068,
      ],
    ],
  ]
  for (const [kind, codes] of expected)
    for (const code of codes) {
      // The code decides. The HTTP status does not matter.
      const outcome = await outcomeAt((socket) => socket.end(reply(code % 2 ? 400 : 500, graphError(code))))
      t.match(outcome, { failure: { kind, code: String(code), message: 'No', maybe_accepted: false } }, `${code}`)
    }
  t.match(await outcomeAt((socket) => socket.end(reply(400, graphError(131056)))), { failure: { scope: 'recipient' } })
  t.match(await outcomeAt((socket) => socket.end(reply(400, graphError(130429)))), { failure: { scope: 'channel' } })
})

t.test('unclear answers have a meaning', async (t) => {
  const cases: [string, string, Partial<SendFailure>][] = [
    ['Retry-After', reply(429, graphError(130429), 'retry-after: 7\r\n'), { kind: 'slow_down', retry_after_s: 7 }],
    ['an unlisted code', reply(400, graphError(999_999)), { kind: 'refuse', code: '999999' }],
    ['an unlisted code of a server', reply(500, graphError(999_999)), { kind: 'retry' }],
    ['an unlisted code called transient', reply(400, graphError(999_999, { is_transient: true })), { kind: 'retry' }],
    [
      'details',
      reply(400, graphError(100, { error_data: { details: 'to is wrong' } })),
      { message: 'No: to is wrong' },
    ],
    ['a broken proxy', reply(502, '<html>'), { kind: 'unknown', code: 'http_502', maybe_accepted: true }],
    ['a proxy that waited too long', reply(504, ''), { kind: 'unknown', code: 'http_504', maybe_accepted: true }],
    ['a proxy that refuses', reply(403, '<html>'), { kind: 'refuse', code: 'http_403', maybe_accepted: false }],
    [
      'a proxy that is full',
      reply(429, '', 'retry-after: 3\r\n'),
      { kind: 'slow_down', retry_after_s: 3, maybe_accepted: false },
    ],
    [
      'a redirect',
      reply(302, '', 'location: https://e.com/\r\n'),
      { kind: 'refuse', code: 'http_302', maybe_accepted: false },
    ],
    ['200 and no JSON', reply(200, 'fine'), { kind: 'unknown', code: 'invalid_response', maybe_accepted: true }],
    ['200 and no id', reply(200, '{"messages":[{}]}'), { kind: 'unknown', maybe_accepted: true }],
    [
      '200 cut short',
      'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"messages"',
      { kind: 'unknown', maybe_accepted: true },
    ],
  ]
  for (const [name, answer, failure] of cases)
    t.match(await outcomeAt((socket) => socket.end(answer)), { failure }, name)
})

t.test('a send without an answer is in doubt, unless it never reached the server', async (t) => {
  const doubt = { kind: 'unknown', maybe_accepted: true }
  t.match(await outcomeAt(() => {}, { by: hasty }), { failure: { ...doubt, code: 'timeout' } })
  t.match(await outcomeAt((socket) => socket.resetAndDestroy()), { failure: { ...doubt, code: 'connection_reset' } })
  t.match(await outcomeAt((socket) => drip(socket, 'HTTP/1.1 103 Hm\r\n\r\n', 20), { by: hasty }), {
    failure: { ...doubt, code: 'timeout' },
  })
  const gone = await hostile(() => {})
  await gone.close()
  const outcome = await client.send(credentialsAt(`http://127.0.0.1:${gone.port}`), text('1'))
  t.match(outcome, { failure: { kind: 'retry', code: 'connection_refused', maybe_accepted: false } })
  const stopped = await client.send(credentialsAt(gone.url), text('1'), AbortSignal.abort())
  t.match(stopped, { failure: { kind: 'retry', code: 'aborted', maybe_accepted: false } })
})

t.test('the client works against the simulator', async (t) => {
  const { url, control } = await fixture(t, { window: { enforced: false } })
  const credentials = credentialsAt(url)
  const accepted = await client.send(credentials, text('15557654321'))
  t.match(accepted, { sent: /^wamid\./ })
  t.match(await client.send({ ...credentials, api_base_url: `${url}/v22.0/` }, text('15557654321')), {
    sent: /^wamid\./,
  })
  t.match(await client.send({ ...credentials, access_token: 'wrong' }, text('15557654321')), {
    failure: { kind: 'disconnect', code: '190', maybe_accepted: false },
  })
  t.strictSame(await client.send(credentials, buildRead('wamid.1')), { sent: '' })

  const { templates } = (await client.listTemplates(credentials)) as {
    templates: { name: string; components: object[] }[]
  }
  t.ok(templates.length > 5)
  t.match(
    templates.find(({ name }) => name === 'order_update'),
    { language: 'en_US', status: 'APPROVED', category: 'UTILITY' },
  )
  t.match(await client.probe(credentials), { number: { id: NUMBER.phone_number_id, quality_rating: 'GREEN' } })
  t.match(await client.probe({ ...credentials, access_token: 'wrong' }), {
    failure: { kind: 'disconnect', maybe_accepted: false },
  })
  t.match(await client.listTemplates({ ...credentials, business_account_id: '1' }), {
    failure: { maybe_accepted: false },
  })

  await control('POST', 'faults', { match: { channel: 'whatsapp' }, garbage: true, times: 1 })
  t.match(await client.send(credentials, text('15557654321')), { failure: { kind: 'unknown', maybe_accepted: true } })
})

t.test('pages of templates', async (t) => {
  const queries: string[] = []
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    const after = new URL(request.url ?? '', 'http://x').searchParams.get('after')
    queries.push(String(after))
    const page = Number(after ?? 0)
    const data = [
      { name: `t${page}`, language: 'en', status: 'APPROVED', category: 'UTILITY', components: [{ type: 'BODY' }] },
      { name: 7 },
    ]
    // The link leads elsewhere, as the link of a hostile proxy might.
    const paging =
      page < 2 ? { cursors: { after: String(page + 1) }, next: 'http://169.254.169.254/' } : { cursors: { after: '9' } }
    response.end(JSON.stringify({ data, paging }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as { port: number }
  const result = await client.listTemplates(credentialsAt(`http://127.0.0.1:${port}`))
  t.match(result, { templates: [{ name: 't0' }, { name: 't1' }, { name: 't2' }] })
  t.strictSame(queries, ['null', '1', '2'])
})
