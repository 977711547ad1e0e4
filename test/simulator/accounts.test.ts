import t, { type Test } from 'tap'
import { Instagram } from '../../actors/providers/instagram/mod.ts'
import { Messenger } from '../../actors/providers/messenger/mod.ts'
import type { Provider } from '../../actors/providers/provider.ts'
import type { SimulatorOptions } from '../../http/simulator/mod.ts'
import { listedCodes } from '../../http/simulator/pages/errors.ts'
import { pageSide, signMeta } from '../actors/providers/page_accounts.ts'
import { simulated } from '../actors/providers/simulated.ts'
import { tiktokSide } from '../actors/providers/tiktok/account.ts'
import { until } from './receiver.ts'

const FAST = { statuses: { sent_ms: 1, delivered_ms: 5, read_ms: 20 }, webhooks: { in_flight: 1 } }
const PERSON = '6543210987654321'

/** Returns a function that sends a text as the adapter builds it. */
function sender({ provider, far }: Awaited<ReturnType<typeof simulated>>) {
  return (to: string) => {
    const account = { channel_id: 'c1', name: 'Tests', provider_account_id: null, credentials: far.credentials }
    const fileOf = () => {
      throw new Error('no files')
    }
    const request = provider.build({ type: 'text', body: 'Hi' }, { account, to, opaque: 'msg_1', fileOf })
    return provider.send(far.credentials, request)
  }
}

async function open(t: Test, channel: 'instagram' | 'messenger', options: Partial<SimulatorOptions>) {
  const provider: Provider = channel === 'instagram' ? new Instagram() : new Messenger()
  const world = await simulated(t, pageSide(channel, provider), options)
  return { ...world, send: sender(world) }
}

t.test('Messenger tells of deliveries and reads, Instagram of reads alone, well signed', async (t) => {
  for (const [channel, expected] of [
    ['messenger', ['delivery', 'read']],
    ['instagram', ['read']],
  ] as const) {
    const { provider, far, calls, send } = await open(t, channel, FAST)
    const outcome = await send(PERSON)
    await until(`the callbacks of ${channel}`, () => calls.length === expected.length)
    const account = { channel_id: 'c1', name: 'Tests', provider_account_id: null, credentials: far.credentials }
    const items = calls.flatMap((call) => provider.hook!.read(call, account, new Date()).items)
    t.match(items.at(0), { kind: 'status', provider_message_id: 'sent' in outcome ? outcome.sent : '?' }, channel)
    t.match(items.at(-1), { kind: 'status', status: 'read', up_to: { user_id: PERSON } }, channel)
    t.match(
      calls
        .flatMap(({ raw }) => Object.keys(JSON.parse(raw).entry[0].messaging[0]))
        .filter((key) => key in { delivery: 1, read: 1 }),
      expected,
    )
    t.ok(calls.every(({ raw, signature }) => signature === signMeta(raw, far.credentials)))
  }
})

t.test('TikTok tells of reads', async (t) => {
  const world = await simulated(t, tiktokSide(), FAST)
  await sender(world)('conversation-1')
  await until('the callback', () => world.calls.length === 1)
  const call = JSON.parse(world.calls[0]!.raw)
  t.match(call, { event: 'im_mark_read_msg', user_openid: world.far.credentials.account_id })
  t.match(JSON.parse(call.content), { conversation_id: 'conversation-1', read: { last_read_timestamp: Number } })
})

t.test('a closed window refuses; a message of the person opens it, and time closes it', async (t) => {
  let now = Date.now()
  const options = { window: { enforced: true }, now: () => now }
  const { far, send } = await open(t, 'instagram', options)
  const closed = { failure: { kind: 'refuse', code: '10' } }
  t.match(await send(PERSON), closed)
  await far.write!(PERSON, { name: 'text', message: 'Hello', type: 'text' })
  t.match(await send(PERSON), { sent: /./ })
  now += 25 * 3_600_000
  t.match(await send(PERSON), closed)
  await far.control('PUT', 'accounts/windows', { channel: 'instagram', recipient: PERSON, open: true })
  t.match(await send(PERSON), { sent: /./ })

  const world = await simulated(t, tiktokSide(), options)
  const write = () => world.far.write!('conversation-1', { name: 'text', message: 'Hello', type: 'text' })
  t.match(await sender(world)('conversation-1'), { failure: { kind: 'refuse', code: '40064' } })
  await write()
  now += 47 * 3_600_000
  t.match(await sender(world)('conversation-1'), { sent: /./ })
  now += 2 * 3_600_000
  t.match(await sender(world)('conversation-1'), { failure: { code: '40064' } })
})

t.test('magic recipients show every code, and recover when their table says so', async (t) => {
  const { send } = await open(t, 'messenger', { window: { enforced: true } })
  const kinds: Record<number, string> = {
    10: 'refuse',
    190: 'disconnect',
    551: 'refuse',
    613: 'slow_down',
    1200: 'retry',
  }
  for (const code of listedCodes()) {
    const recipient = code < 1_000 ? `15550190${String(code).padStart(3, '0')}` : `1555${String(code).padStart(7, '0')}`
    const kind = kinds[code] ? { kind: kinds[code] } : {}
    t.match(await send(recipient), { failure: { code: String(code), ...kind } }, recipient)
  }
  t.match(await send('15550190613'), { sent: /./ }, 'the second time')
})

t.test('accounts are added, changed and described without their secrets', async (t) => {
  const { far } = await open(t, 'messenger', {})
  const page = { channel: 'facebook', account_id: '77', access_token: 't', app_secret: 's', verify_token: 'v' }
  t.strictSame(await far.control('PUT', 'accounts', page), { channel: 'facebook', account_id: '77' })
  const named = await far.control('PUT', 'accounts', { channel: 'facebook', account_id: '77', name: 'A page' })
  t.strictSame(named, { channel: 'facebook', account_id: '77', name: 'A page' })
  t.match(await far.control('GET', 'accounts'), { data: [{ channel: 'messenger' }, { account_id: '77' }] })
  t.match(await far.control('GET', ''), { channels: { facebook: { accounts: [{ name: 'A page' }] }, tiktok: {} } })
  for (const [body, words] of [
    [{ channel: 'fax' }, /channel must be one of/],
    [{ channel: 'tiktok', account_id: '1' }, /access_token is missing/],
    [{ channel: 'tiktok', account_id: '1', verify_token: 'v' }, /has no field .*verify_token/],
    [{ ...page, webhook_url: 'ftp://x' }, /webhook_url must be/],
  ] as const)
    await t.rejects(far.control('PUT', 'accounts', body), words)
  await t.rejects(far.control('POST', 'inbound', { channel: 'instagram', from: '1', message: 'x' }), /no account of/)
  await t.rejects(far.control('POST', 'inbound', { channel: 'facebook', from: '1', message: 'x' }), /no webhook_url/)
})

t.test('a value beyond the bounds of the platform is refused with 100', async (t) => {
  const { far } = await open(t, 'instagram', {})
  const { account_id, access_token } = far.credentials
  const post = async (body: object) => {
    const response = await fetch(`${far.url}/v25.0/${account_id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}` },
      body: JSON.stringify({ recipient: { id: PERSON }, ...body }),
    })
    return (await response.json()) as object
  }
  const url = 'https://example.com/a.png'
  const reply = { content_type: 'text', title: 'Yes', payload: 'yes' }
  const refused: [string, object][] = [
    ['nothing', {}],
    ['an empty text', { message: { text: '' } }],
    ['1001 bytes', { message: { text: 'x'.repeat(1_001) } }],
    ['text and attachment', { message: { text: 'x', attachment: { type: 'image', payload: { url } } } }],
    ['a file on Instagram', { message: { attachment: { type: 'file', payload: { url } } } }],
    ['no url', { message: { attachment: { type: 'image', payload: {} } } }],
    ['fourteen quick replies', { message: { text: 'x', quick_replies: Array(14).fill(reply) } }],
    ['an unknown template', { message: { attachment: { type: 'template', payload: { template_type: 'list' } } } }],
    ['a reaction to nothing', { sender_action: 'react' }],
    ['an action with a message', { sender_action: 'typing_on', message: { text: 'x' } }],
  ]
  for (const [what, body] of refused) t.match(await post(body), { error: { code: 100, message: /./ } }, what)
  t.match(await post({ message: { text: 'x'.repeat(1_000) } }), { message_id: /./ })
  t.match(await post({ sender_action: 'typing_on' }), { recipient_id: PERSON })
})
