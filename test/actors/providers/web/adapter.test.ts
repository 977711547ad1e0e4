import t from 'tap'
import { signCall } from '../../../../actors/providers/signed_call.ts'
import {
  newVisitor,
  readVisitorInput,
  readVisitorToken,
  type VisitorNote,
  Web,
} from '../../../../actors/providers/web/mod.ts'

const CHANNEL = '66f000000000000000000001'
const SECRET = 'the secret of the visitors'
const credentials = { visitor_secret: SECRET }
const account = { channel_id: CHANNEL, name: 'Chat', provider_account_id: null, credentials }
const NOW = new Date('2026-11-21T12:00:00Z')

t.test('a page gets links for uploads, and no field of ours', async (t) => {
  const notes: VisitorNote[] = []
  const web = new Web({ tell: (note) => void notes.push(note) })
  const fileOf = (media_id: string) => ({
    media_id,
    provider_media_id: null,
    link: `https://parley.test/media/${media_id}`,
    mime_type: null,
    filename: 'a.png',
  })
  const options = { account, to: 'visitor-1', opaque: 'msg_1', context: { message_id: 'web-msg_0' }, fileOf }
  const card = (media_id: string) => ({
    header: { type: 'image', media_id },
    action: { display_text: 'Go', url: 'https://x.test' },
  })
  await web.send(credentials, web.build({ type: 'document', media_id: 'f1', filename: 'my.pdf' }, options))
  await web.send(
    credentials,
    web.build({ type: 'carousel', body_text: 'All', cards: [card('f2'), card('f3')] }, options),
  )
  const [first, second] = notes
  t.match(first, { channel_id: CHANNEL, user_id: 'visitor-1' })
  t.same(
    { ...first?.message, at: null },
    {
      ref: 'web-msg_1',
      direction: 'outbound',
      at: null,
      context: 'web-msg_0',
      message: { type: 'document', link: 'https://parley.test/media/f1', filename: 'my.pdf' },
    },
  )
  t.match(second?.message.message, { cards: [{ header: { link: /f2$/ } }, { header: { link: /f3$/ } }] })
  t.notMatch(JSON.stringify(notes), /media_id/)
  t.notMatch(JSON.stringify(notes), SECRET)
})

t.test('a node that stops sends nothing more', async (t) => {
  const web = new Web({ tell: () => void t.fail('said') })
  const failure = { kind: 'retry', code: 'aborted', maybe_accepted: false }
  t.match(await web.send(credentials, {}, AbortSignal.abort()), { failure })
})

t.test('a token is valid for its channel and its secret alone', async (t) => {
  const { user_id, visitor_token } = newVisitor(CHANNEL, SECRET)
  t.equal(readVisitorToken(visitor_token, CHANNEL, SECRET), user_id)
  const [id = '', signature = ''] = visitor_token.split('.')
  const other = newVisitor(CHANNEL, SECRET)
  const bad = [
    '',
    id,
    `${id}.`,
    `${other.user_id}.${signature}`,
    `${visitor_token}.x`,
    `${visitor_token}x`,
    `admin.${signature}`,
  ]
  for (const token of bad) t.equal(readVisitorToken(token, CHANNEL, SECRET), undefined, token)
  t.equal(readVisitorToken(visitor_token, '66f000000000000000000002', SECRET), undefined)
  t.equal(readVisitorToken(visitor_token, CHANNEL, 'another secret of visitors'), undefined)
  t.equal(readVisitorToken(newVisitor(CHANNEL, '').visitor_token, CHANNEL, ''), undefined, 'no secret believes nobody')
})

const id = '12345678'
const about = 'web-msg_6b01'
const said: [string, unknown, string | null][] = [
  ['a text', { id, type: 'text', body: 'Hi' }, null],
  ['a text of 4096 characters', { id, type: 'text', body: 'x'.repeat(4096) }, null],
  ['one more', { id, type: 'text', body: 'x'.repeat(4097) }, 'TOO_LONG'],
  ['an empty text', { id, type: 'text', body: ' \n' }, 'MALFORMED'],
  ['a text that is none', { id, type: 'text', body: 7 }, 'MALFORMED'],
  ['no id', { type: 'text', body: 'Hi' }, 'MALFORMED'],
  ['an id like that of another kind', { id: '../../etc', type: 'text', body: 'Hi' }, 'MALFORMED'],
  ['a reply', { id, type: 'button_reply', about, reply: { id: 'a', title: 'A' } }, null],
  ['a reply to nothing', { id, type: 'button_reply', reply: { id: 'a', title: 'A' } }, 'MALFORMED'],
  [
    'a reply to another visitor',
    { id, type: 'list_reply', about: 'web-0011-1', reply: { id: 'a', title: 'A' } },
    'MALFORMED',
  ],
  ['a reply without a title', { id, type: 'list_reply', about, reply: { id: 'a' } }, 'MALFORMED'],
  ['a reaction', { id, type: 'reaction', about, emoji: '👍' }, null],
  ['a reaction taken back', { id, type: 'reaction', about, emoji: '' }, null],
  ['an essay as a reaction', { id, type: 'reaction', about, emoji: 'x'.repeat(65) }, 'MALFORMED'],
  ['a template', { id, type: 'template', name: 'x' }, 'MALFORMED'],
  ['nothing', null, 'MALFORMED'],
]

for (const [what, value, code] of said) {
  t.test(`${what} is ${code ?? 'taken'}`, async (t) => {
    t.match(readVisitorInput(value), code === null ? value : { error: { code, message: String } })
  })
}

t.test('seen messages become statuses under our own ids', async (t) => {
  const web = new Web({ tell: () => {} })
  const read = (seen: unknown) => {
    const raw = JSON.stringify({ user_id: 'visitor-1', at: NOW.toISOString(), seen })
    return web.hook.read({ raw, signature: signCall(SECRET, raw, NOW) }, account, NOW)
  }
  t.match(read({ status: 'read', ids: ['msg_1', 'msg_2'] }), {
    status: 200,
    items: [
      { kind: 'status', status: 'read', provider_message_id: 'web-msg_1', opaque: 'msg_1', at: NOW },
      { kind: 'status', status: 'read', provider_message_id: 'web-msg_2', opaque: 'msg_2', at: NOW },
    ],
  })
  for (const seen of [
    { status: 'failed', ids: ['msg_1'] },
    { status: 'sent', ids: ['msg_1'] },
    { status: 'read', ids: 'msg_1' },
    7,
  ])
    t.same(read(seen).items, [], JSON.stringify(seen))
})
