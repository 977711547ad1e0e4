import t from 'tap'
import { Messenger } from '../../../../actors/providers/messenger/mod.ts'
import { examplesOf, NOW, reader } from '../examples.ts'
import { pageSide, signMeta } from '../page_accounts.ts'

const messenger = new Messenger()
t.teardown(() => messenger.close())
const { credentials } = pageSide('messenger', messenger)
const read = reader(messenger, credentials, signMeta)
const [account, user_id] = ['682498302938465', '6543210987654321']
const about = { account, user_id, name: null, kind: 'message' }
const watermark = new Date(1_458_668_856_253)

const EXPECTED: Record<string, object[]> = {
  'quick reply': [
    {
      ...about,
      provider_message_id: 'mid.1457764197618:41d102a3e1ae206a38',
      at: new Date(1_458_692_752_478),
      type: 'interactive',
      message: {
        type: 'interactive',
        interactive_type: 'button_reply',
        button_reply: { id: 'DEVELOPER_DEFINED_PAYLOAD', title: 'hello, world!' },
      },
      context: null,
    },
  ],
  reply: [
    {
      ...about,
      message: { type: 'text', body: 'hello, world!' },
      context: { message_id: 'm_1fTq8oLumEyIp3Q2MR-aY7IfLZDamVrALniheU' },
      value: {
        messaging_product: 'messenger',
        metadata: { account_id: account },
        contacts: [{ user_id }],
        messages: [
          {
            from: user_id,
            id: 'm_1457764197618:41d102a3e1ae206a38',
            timestamp: '1458692752',
            context: { id: 'm_1fTq8oLumEyIp3Q2MR-aY7IfLZDamVrALniheU' },
            type: 'text',
            text: { body: 'hello, world!' },
          },
        ],
      },
    },
  ],
  attachment: [{ ...about, message: { type: 'image', link: 'https://scontent.example.com/attachment.jpg' } }],
  echo: [
    {
      kind: 'echo',
      account,
      user_id,
      origin: 'app',
      opaque: null,
      provider_message_id: 'mid.1457764197618:41d102a3e1ae206a38',
      type: 'unsupported',
    },
  ],
  standby: [{ kind: 'echo', account, user_id, origin: 'app', standby: { holder: 'app', is_guess: true } }],
  postback: [
    {
      ...about,
      provider_message_id: 'm_MESSAGE-ID',
      at: new Date(1_527_459_824_000),
      message: {
        type: 'interactive',
        interactive_type: 'button_reply',
        button_reply: { id: 'USER-DEFINED-PAYLOAD', title: 'TITLE-FOR-THE-CTA' },
        referral: { ref: 'USER-DEFINED-REFERRAL-PARAM' },
      },
    },
  ],
  reaction: [
    {
      ...about,
      provider_message_id: 'mid.reacted:reaction:1458668856463',
      message: { type: 'reaction', message_id: 'mid.reacted', emoji: '❤️' },
    },
  ],
  delivery: [
    {
      kind: 'status',
      account,
      status: 'delivered',
      at: watermark,
      provider_message_id: 'mid.1458668856218:ed81099e15d3f4f233',
      up_to: undefined,
    },
  ],
  read: [
    {
      kind: 'status',
      account,
      status: 'read',
      at: watermark,
      provider_message_id: null,
      up_to: { user_id, at: watermark },
    },
  ],
}

t.test('the examples of the documentation', async (t) => {
  const examples = examplesOf('messenger')
  t.strictSame([...examples.keys()], Object.keys(EXPECTED))
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const items = read(examples.get(name))
    t.equal(items.length, expected.length, name)
    t.match(items, expected, name)
  }
})

const event = (fields: object, page = account, person = user_id) => ({
  id: page,
  messaging: [{ sender: { id: person }, recipient: { id: page }, timestamp: 1_458_692_752_478, ...fields }],
})
const call = (...entry: object[]) => ({ object: 'page', entry })

t.test('several pages in one call', async (t) => {
  const text = (mid: string) => ({ message: { mid, text: mid } })
  const items = read(call(event(text('m1')), event(text('m2'), '111', '222'), { id: '333' }, {}))
  t.match(items, [
    { account, user_id, provider_message_id: 'm1' },
    { account: '111', user_id: '222', provider_message_id: 'm2', value: { metadata: { account_id: '111' } } },
  ])
  t.match(items.slice(2), [{ kind: 'ignored', name: 'entry' }])
  t.equal(items.length, 3)
})

t.test('several deliveries are told one by one, and a bare watermark for all messages before it', async (t) => {
  const watermark = 1_458_668_856_253
  t.match(read(call(event({ delivery: { mids: ['m1', 'm2'], watermark } }))), [
    { status: 'delivered', provider_message_id: 'm1' },
    { status: 'delivered', provider_message_id: 'm2' },
  ])
  t.match(read(call(event({ delivery: { watermark } }))), [
    { status: 'delivered', provider_message_id: null, up_to: { user_id, at: new Date(watermark) } },
  ])
  t.strictSame(read(call(event({ delivery: {} }), event({ read: {} }))), [])
})

t.test('a sticker that comes as a sticker and as an image is one message', async (t) => {
  const url = 'https://cdn.example.com/sticker.png'
  const sticker = (type: string) => ({ type, payload: { url, sticker_id: 7 } })
  for (const attachments of [[sticker('sticker'), sticker('image')], [sticker('image')], [sticker('sticker')]]) {
    const items = read(call(event({ message: { mid: 'm1', attachments } })))
    t.equal(items.length, 1)
    t.match(items, [{ type: 'sticker', message: { type: 'sticker', link: url, sticker_id: 7 } }])
  }
})

t.test('each file has the address at which it is fetched, and a document the name in it', async (t) => {
  const url = 'https://cdn.example.com/v/t59/123/Plan%20B.pdf?oh=1'
  const payloads = [{ url }, { url: 'https://cdn.example.com/v/t59' }, { url: 'no address' }, {}]
  const items = read(
    call(event({ message: { mid: 'm1', attachments: payloads.map((payload) => ({ type: 'file', payload })) } })),
  )
  t.same(
    items.map((item) => 'message' in item && [item.message.filename, item.files]),
    [
      ['Plan B.pdf', [{ reference: { url } }]],
      [undefined, [{ reference: { url: 'https://cdn.example.com/v/t59' } }]],
      [undefined, [{ reference: { url: 'no address' } }]],
      [undefined, undefined],
    ],
  )
  const shared = { type: 'share', payload: { url } }
  t.notOk('files' in read(call(event({ message: { mid: 'm1', attachments: [shared] } })))[0]!, 'a share is no file')
})

t.test('a text beside files is the caption of the first file', async (t) => {
  const file = { type: 'file', payload: { url: 'https://cdn.example.com/a.pdf' } }
  const share = { type: 'fallback', title: 'A page', payload: { url: 'https://example.com' } }
  t.match(read(call(event({ message: { mid: 'm1', text: 'Due', attachments: [file, file] } }))), [
    { provider_message_id: 'm1', message: { type: 'document', link: file.payload.url, caption: 'Due' } },
    { provider_message_id: 'm1#2', message: { type: 'document', link: file.payload.url, caption: undefined } },
  ])
  const shared = read(call(event({ message: { mid: 'm1', text: 'Look', attachments: [share] } })))
  t.match(shared, [{ type: 'text', message: { type: 'text', body: 'Look', attachments: [share] } }])
  t.equal(shared.length, 1)
})

t.test('a missing or invalid time counts as now', async (t) => {
  for (const timestamp of [undefined, null, 'soon', 0, -1, 1e30]) {
    t.match(read(call(event({ message: { mid: 'm1', text: 'x' }, timestamp }))), [{ at: NOW }], String(timestamp))
  }
})

t.test("the provider's question about the address is answered", async (t) => {
  const query = (word: string) =>
    new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': word, 'hub.challenge': '42' })
  t.equal(messenger.hook.challenge?.(query('a-token-to-verify'), credentials), '42')
  t.equal(messenger.hook.challenge?.(query('wrong'), credentials), undefined)
  t.equal(messenger.hook.challenge?.(query(''), {}), undefined)
})
