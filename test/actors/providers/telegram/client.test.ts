import t from 'tap'
import type { Payload } from '../../../../actors/providers/payload.ts'
import type { SendFailure } from '../../../../actors/providers/provider.ts'
import { hostile } from '../../outbound/hostile.ts'
import { simulated } from '../simulated.ts'
import { botSide } from './bot.ts'

const PERSON = '518273640'
const card = (id: number) => ({
  header: { type: 'image', link: `https://example.com/${id}.jpg` },
  action: { display_text: `Open ${id}`, url: 'https://shop.example.com/' },
})
const CAROUSEL: Payload = { type: 'carousel', body_text: 'Our offers', cards: [card(1), card(2)] }

const options = {
  account: { channel_id: 'c', name: 'Bot', provider_account_id: null, credentials: {} },
  to: PERSON,
  opaque: 'msg_1',
  fileOf: () => {
    throw new Error('no file is named')
  },
}

t.test('each answer of the Bot API has its meaning', async (t) => {
  const { provider, credentials } = botSide()
  t.teardown(() => provider.close())
  const request = provider.build({ type: 'text', body: 'Hi' }, options)
  const reply = (status: number, body: string) =>
    `HTTP/1.1 ${status} Some\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const said = (error_code: number, description: string, parameters?: object) =>
    reply(error_code, JSON.stringify({ ok: false, error_code, description, parameters }))
  const cases: [string, string, Partial<SendFailure>][] = [
    ['a token that was revoked', said(401, 'Unauthorized'), { kind: 'disconnect', code: '401' }],
    ['a token that is none', said(404, 'Not Found'), { kind: 'disconnect', code: '404' }],
    ['blocked', said(403, 'Forbidden: bot was blocked by the user'), { kind: 'refuse', code: '403' }],
    [
      'no such chat',
      said(400, 'Bad Request: chat not found'),
      { kind: 'refuse', message: 'Bad Request: chat not found' },
    ],
    [
      'too fast',
      said(429, 'Too Many Requests: retry after 14', { retry_after: 14 }),
      { kind: 'slow_down', scope: 'channel', retry_after_s: 14, maybe_accepted: false },
    ],
    ['Telegram fails', said(500, 'Internal Server Error'), { kind: 'unknown', code: '500', maybe_accepted: true }],
    ['a proxy fails', reply(502, '<html>'), { kind: 'unknown', code: 'http_502', maybe_accepted: true }],
    ['200 without JSON', reply(200, 'fine'), { kind: 'unknown', code: 'invalid_response', maybe_accepted: true }],
    [
      '200 without a message',
      reply(200, '{"ok":true,"result":{}}'),
      { code: 'invalid_response', maybe_accepted: true },
    ],
    ['200 that says no', reply(200, '{"ok":false,"error_code":400,"description":"no"}'), { kind: 'refuse' }],
  ]
  for (const [name, answer, failure] of cases) {
    const server = await hostile((socket) => socket.end(answer))
    const outcome = await provider.send({ ...credentials, api_base_url: `http://127.0.0.1:${server.port}/` }, request)
    t.match(outcome, { failure }, name)
    t.match(server.received(), new RegExp(`^POST /bot${credentials.bot_token}/sendMessage HTTP`))
    await server.close()
  }
})

t.test('the pictures of a carousel are sent once, whatever becomes of its text', async (t) => {
  const { provider, far } = await simulated(t, botSide())
  const request = provider.build(CAROUSEL, options)
  const carry = async (...faults: object[]) => {
    await far.control('DELETE', 'sent')
    await far.control('DELETE', 'faults')
    for (const fault of faults)
      await far.control('POST', 'faults', { match: { channel: 'telegram', type: 'text' }, times: 1, ...fault })
    const outcome = await provider.send(far.credentials, request)
    const types = (await far.sent()).map(({ type }) => type)
    return { outcome, types }
  }
  const partly = (message: RegExp) => ({
    failure: { kind: 'refuse', code: 'partly_sent', maybe_accepted: false, message },
  })

  t.match(await carry(), { outcome: { sent: /:\d+$/ }, types: ['media_group', 'text'] })
  t.match(
    await carry({ error: { code: 429, retry_after: 0 } }),
    { outcome: { sent: /:\d+$/ }, types: ['media_group', 'text'] },
    'a text that was certainly not taken is tried once more',
  )
  t.match(await carry({ error: { code: 429, retry_after: 60 } }), {
    outcome: partly(/the text with the links was not: Too Many Requests/),
    types: ['media_group'],
  })
  t.match(await carry({ error: { code: 403 } }), { outcome: partly(/blocked by the user/), types: ['media_group'] })
  t.match(await carry({ error: { code: 500 } }), { outcome: partly(/Internal/), types: ['media_group'] })
  t.match(await carry({ hang: 'after' }), {
    outcome: partly(/perhaps not/),
    types: ['media_group', 'text'],
  })
  await far.control('DELETE', 'faults')
  await far.control('DELETE', 'sent')
  await far.control('POST', 'faults', {
    match: { type: 'media_group' },
    times: 1,
    error: { code: 429, retry_after: 3 },
  })
  t.match(await provider.send(far.credentials, request), { failure: { kind: 'slow_down', retry_after_s: 3 } })
  t.strictSame(await far.sent(), [], 'without pictures no text follows, and all of it can be tried again')
})
