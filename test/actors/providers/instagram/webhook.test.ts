import t from 'tap'
import { Instagram } from '../../../../actors/providers/instagram/mod.ts'
import { examplesOf, reader } from '../examples.ts'
import { pageSide, signMeta } from '../page_accounts.ts'

const instagram = new Instagram()
t.teardown(() => instagram.close())
const read = reader(instagram, pageSide('instagram', instagram).credentials, signMeta)
const [account, user_id] = ['17841400008460056', '6543210987654321']
const at = new Date(1_569_262_485_349)
const about = { kind: 'message', account, user_id, name: null, at, value: { messaging_product: 'instagram' } }
const story = 'https://cdn.example.com/story'

const EXPECTED: Record<string, object[]> = {
  text: [{ ...about, provider_message_id: 'MESSAGE-ID', message: { type: 'text', body: 'MESSAGE-TEXT' } }],
  'several attachments': [
    {
      ...about,
      provider_message_id: 'MESSAGE-ID',
      message: { type: 'image', link: 'https://lookaside.example.com/1' },
    },
    {
      ...about,
      provider_message_id: 'MESSAGE-ID#2',
      message: { type: 'video', link: 'https://lookaside.example.com/2' },
    },
  ],
  'quick reply': [
    {
      ...about,
      message: {
        type: 'interactive',
        interactive_type: 'button_reply',
        button_reply: { id: 'POSTBACK_PAYLOAD_1', title: 'TITLE_1' },
      },
    },
  ],
  'reply to a story': [
    {
      ...about,
      message: { type: 'text', body: 'MESSAGE-TEXT', story: { url: story } },
      context: null,
      files: [{ reference: { url: story, is_shared: true }, is_story: true }],
    },
  ],
  'story mention': [
    {
      ...about,
      type: 'story_mention',
      message: { type: 'story_mention', link: story },
      files: [{ reference: { url: story, is_shared: true } }],
    },
  ],
  share: [{ ...about, type: 'share', message: { type: 'share', link: 'https://cdn.example.com/post' } }],
  deleted: [{ ...about, type: 'revoke', message: { type: 'revoke', original_message_id: 'MESSAGE-ID' } }],
  unsupported: [{ ...about, type: 'unsupported', message: { type: 'unsupported' } }],
  echo: [
    {
      ...about,
      kind: 'echo',
      origin: 'app',
      opaque: null,
      provider_message_id: 'MESSAGE-ID',
      message: { type: 'text', body: 'MESSAGE-TEXT' },
      value: { contacts: [{ user_id }], messages: [{ to: user_id, id: 'MESSAGE-ID', text: { body: 'MESSAGE-TEXT' } }] },
    },
  ],
  reaction: [{ ...about, message: { type: 'reaction', message_id: 'MESSAGE-ID', emoji: '❤️' } }],
  unreact: [{ ...about, message: { type: 'reaction', message_id: 'MESSAGE-ID', emoji: '' } }],
  postback: [
    {
      ...about,
      message: { button_reply: { id: 'USER-DEFINED-PAYLOAD', title: 'SELECTED-ICEBREAKER-QUESTION' } },
    },
  ],
  seen: [
    { kind: 'status', account, status: 'read', at, provider_message_id: 'MESSAGE-ID' },
    { kind: 'status', account, status: 'read', at, provider_message_id: null, up_to: { user_id, at } },
  ],
  referral: [{ ...about, type: 'referral', message: { type: 'referral', ref: /./ } }],
}

t.test('the examples of the documentation', async (t) => {
  const examples = examplesOf('instagram')
  t.strictSame([...examples.keys()], Object.keys(EXPECTED))
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const items = read(examples.get(name))
    t.equal(items.length, expected.length, name)
    t.match(items, expected, name)
  }
})
