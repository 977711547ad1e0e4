import t from 'tap'
import type { Payload } from '../../../../actors/providers/payload.ts'
import { TikTok } from '../../../../actors/providers/tiktok/mod.ts'
import { examplesOf, reader } from '../examples.ts'
import { simulated } from '../simulated.ts'
import { ACCOUNT, signTikTok, startPictures, tiktokSide } from './account.ts'

const tiktok = new TikTok()
t.teardown(() => tiktok.close())
const read = reader(tiktok, ACCOUNT, signTikTok)
const user_id = 'u5JhpselBAhoPOlnH0tZ9y07kg=='
const account = ACCOUNT.account_id
const about = { kind: 'message', account, user_id, name: 'a_person', at: new Date(1_789_814_497_488) }
const read_at = new Date(1_789_814_497_400)

const EXPECTED: Record<string, object[]> = {
  text: [
    {
      ...about,
      provider_message_id: 'u5Buqc6lAghuOelnHUZV88DK2A==',
      message: { type: 'text', body: 'hello' },
      context: null,
      value: {
        messaging_product: 'tiktok',
        metadata: { account_id: account },
        contacts: [{ profile: { name: 'a_person' }, user_id }],
        messages: [{ from: user_id, timestamp: '1789814497', type: 'text', text: { body: 'hello' } }],
      },
    },
  ],
  image: [{ ...about, message: { type: 'image', media_id: 'media-1' }, context: { message_id: 'm1' } }],
  'share post': [{ ...about, message: { type: 'share_post', embed_url: 'https://www.tiktok.com/player/v1/1' } }],
  echo: [
    {
      ...about,
      kind: 'echo',
      origin: 'app',
      name: null,
      provider_message_id: 'm4',
      message: { type: 'text', body: 'ours' },
      value: { messages: [{ to: user_id, type: 'text' }] },
    },
  ],
  read: [{ kind: 'status', account, status: 'read', at: read_at, up_to: { user_id, at: read_at } }],
}

t.test('the examples of the documentation', async (t) => {
  const examples = examplesOf('tiktok')
  t.strictSame([...examples.keys()], Object.keys(EXPECTED))
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const items = read(examples.get(name))
    t.equal(items.length, expected.length, name)
    t.match(items, expected, name)
  }
})

t.test('signatures', async (t) => {
  const raw = '{"event":"other"}'
  const good = signTikTok(raw, ACCOUNT)
  const account = { channel_id: 'c1', name: 'Tests', provider_account_id: null, credentials: ACCOUNT }
  const status = (text: string, signature: string) =>
    tiktok.hook.read({ raw: text, signature }, account, new Date()).status
  t.equal(status(raw, good), 200)
  t.equal(status(raw, good.replace(',', ', ')), 200, 'a space between the parts')
  t.equal(status(`${raw} `, good), 401, 'another text')
  t.equal(status(raw, good.replace('t=1', 't=2')), 401, 'another time')
  t.equal(status(raw, good.slice(0, -1)), 401, 'cut short')
})

const options = {
  account: { channel_id: 'c1', name: 'Tests', provider_account_id: account, credentials: ACCOUNT },
  to: user_id,
  opaque: 'msg_1',
  fileOf: (media_id: string) => ({
    media_id,
    provider_media_id: 'theirs',
    link: '',
    mime_type: null,
    filename: null,
  }),
}

t.test('each message takes the form of TikTok', async (t) => {
  const frame = { recipient_type: 'CONVERSATION', recipient: user_id }
  t.strictSame(tiktok.build({ type: 'text', body: 'Hi' }, { ...options, context: { message_id: 'm1' } }), {
    ...frame,
    referenced_message_info: { referenced_message_id: 'm1' },
    message_type: 'TEXT',
    text: { body: 'Hi' },
  })
  t.strictSame(tiktok.build({ type: 'image', media_id: 'med_1' }, options), {
    ...frame,
    message_type: 'IMAGE',
    image: { media_id: 'theirs' },
  })
  const refused: [Payload, string][] = [
    [{ type: 'image', link: 'https://e.com/a.jpg', caption: 'A cat' }, 'message.caption'],
    [{ type: 'text', body: 'x'.repeat(6_001) }, 'message.body'],
  ]
  for (const [message, path] of refused) {
    const refusal = { code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL', details: { path } }
    t.throws(() => tiktok.build(message, options), refusal)
  }
})

t.test('a picture that cannot be fetched fails without a doubt', async (t) => {
  const pictures = await startPictures(t)
  const { provider, far } = await simulated(t, tiktokSide(30_000))
  const image = (link: string) => provider.send(far.credentials, provider.build({ type: 'image', link }, options))
  const cases: [string, string, object][] = [
    ['gone', `${pictures}/404/image/png`, { kind: 'refuse', code: 'media_unavailable' }],
    ['moved', `${pictures}/302/image/png`, { kind: 'refuse', code: 'media_unavailable' }],
    ['broken for now', `${pictures}/503/image/png`, { kind: 'retry', code: 'media_unavailable' }],
    ['busy', `${pictures}/429/image/png`, { kind: 'retry', code: 'media_unavailable' }],
    ['too large', `${pictures}/200/image/png/${21 * 1024 * 1024}`, { kind: 'refuse', code: 'media_too_large' }],
    ['no picture', `${pictures}/200/text/html`, { kind: 'refuse', code: '40908' }],
    ['our own network', 'http://10.0.0.1/a.png', { kind: 'refuse', code: 'media_unavailable' }],
  ]
  for (const [name, link, failure] of cases)
    t.match(await image(link), { failure: { ...failure, message: /./, maybe_accepted: false } }, name)
  await far.control('POST', 'faults', { match: { operation: 'media' }, garbage: true, times: 1 })
  const broken = { kind: 'retry', code: 'http_502', maybe_accepted: false }
  t.match(await image(`${pictures}/200/image/png`), { failure: broken }, 'an upload without an answer')
  t.equal((await far.sent()).length, 0)
  t.match(await image(`${pictures}/200/image/png`), { sent: /./ })
  t.match(await far.sent(), [{ type: 'image', body: { business_id: account, image: { media_id: /./ } } }])
})
