import { createHmac } from 'node:crypto'
import t from 'tap'
import { signCall } from '../../../../actors/providers/signed_call.ts'
import {
  newVisitorId,
  newVisitorToken,
  openNote,
  readIdentity,
  readVisitorInput,
  readVisitorToken,
  sealNote,
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
      id: 'msg_1',
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
  const make = (secret = SECRET) => newVisitorToken(CHANNEL, secret, newVisitorId(), NOW)
  const token = make()
  const { visitor_token, user_id } = token
  t.same(readVisitorToken(visitor_token, CHANNEL, SECRET), token)
  t.match(token, { made_s: NOW.getTime() / 1000, hash: /^[0-9a-f]{64}$/ })
  const [id, made, secret, signature] = visitor_token.split('.')
  t.equal(Buffer.from(secret!, 'base64url').length, 32, '256 random bits')
  t.not(newVisitorToken(CHANNEL, SECRET, user_id, NOW).visitor_token, visitor_token, 'each session has its own')
  const bad = [
    '',
    id!,
    `${id}.${made}.${secret}.`,
    `${make().user_id}.${made}.${secret}.${signature}`,
    `${id}.${Number.MAX_SAFE_INTEGER.toString(36).slice(0, 9)}.${secret}.${signature}`,
    `${id}.${made}.${make().visitor_token.split('.')[2]}.${signature}`,
    `${visitor_token}.x`,
    `${visitor_token}x`,
    `admin.${made}.${secret}.${signature}`,
  ]
  for (const token of bad) t.equal(readVisitorToken(token, CHANNEL, SECRET), undefined, token)
  t.equal(readVisitorToken(visitor_token, '66f000000000000000000002', SECRET), undefined)
  t.equal(readVisitorToken(visitor_token, CHANNEL, 'another secret of visitors'), undefined)
  t.equal(readVisitorToken(make('').visitor_token, CHANNEL, ''), undefined, 'no secret believes nobody')
})

t.test('a note of ours is read for its kind, its channel and its secret alone', async (t) => {
  const note = sealNote('upload', CHANNEL, SECRET, { size: 7 })
  t.same(openNote('upload', CHANNEL, SECRET, note), { size: 7 })
  t.equal(openNote('file', CHANNEL, SECRET, note), undefined)
  t.equal(openNote('upload', '66f000000000000000000002', SECRET, note), undefined)
  t.equal(openNote('upload', CHANNEL, 'another secret of visitors', note), undefined)
  const forged = `${Buffer.from('{"size":9}').toString('base64url')}.${note.split('.')[1]}`
  for (const bad of [forged, `${note}.x`, '', '.']) t.equal(openNote('upload', CHANNEL, SECRET, bad), undefined, bad)
})

const IDENTITY = 'the secret with which the site signs'
const now_s = NOW.getTime() / 1000
const claims = {
  sub: 'user 42'.replace(' ', '-'),
  aud: CHANNEL,
  exp: now_s + 600,
  name: 'Ana',
  email: 'ana@example.com',
}

function jwt(body: unknown, { secret = IDENTITY, header = { alg: 'HS256', typ: 'JWT' } as object } = {}): string {
  const text = [header, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

t.test('a site is believed only by its signature, for its channel, until the expiry', async (t) => {
  const read = (token: unknown, secrets = [IDENTITY]) => readIdentity(token, CHANNEL, secrets, NOW)
  t.same(read(jwt(claims)), {
    claims: { external_id: 'user-42', name: 'Ana', email: 'ana@example.com', phone: null },
  })
  t.match(
    read(jwt(claims), ['another secret, which is the new one', IDENTITY]),
    { claims: {} },
    'after a rotation, too',
  )
  const unsigned = `${jwt(claims, { header: { alg: 'none' } })
    .split('.')
    .slice(0, 2)
    .join('.')}.`
  const refused: [string, unknown, RegExp][] = [
    ['another secret', jwt(claims, { secret: 'the secret of somebody else entirely' }), /not signed/],
    ['no signature', unsigned, /no JSON Web Token/],
    ['the algorithm none', jwt(claims, { header: { alg: 'none' } }), /HS256/],
    ['another algorithm', jwt(claims, { header: { alg: 'HS512' } }), /HS256/],
    ['an extension that must be understood', jwt(claims, { header: { alg: 'HS256', crit: ['b64'] } }), /HS256/],
    ['another channel', jwt({ ...claims, aud: '66f000000000000000000002' }), /aud/],
    ['all channels', jwt({ ...claims, aud: [CHANNEL] }), /aud/],
    ['no channel', jwt({ ...claims, aud: undefined }), /aud/],
    ['no expiry', jwt({ ...claims, exp: undefined }), /exp/],
    ['a past expiry', jwt({ ...claims, exp: now_s - 61 }), /expired/],
    ['an expiry in a week', jwt({ ...claims, exp: now_s + 7 * 86_400 }), /24 hours/],
    ['a later beginning', jwt({ ...claims, nbf: now_s + 3600 }), /not valid yet/],
    ['no person', jwt({ ...claims, sub: '' }), /sub/],
    ['a person of many lines', jwt({ ...claims, sub: 'a\nb' }), /sub/],
    ['an endless name', jwt({ ...claims, name: 'x'.repeat(201) }), /name/],
    ['a phone that is none', jwt({ ...claims, phone_number: '555' }), /phone/],
    ['no object', jwt([]), /claims|aud/],
    ['nothing', undefined, /no text/],
    ['a megabyte', 'x'.repeat(1_000_000), /no text/],
  ]
  for (const [what, token, why] of refused) t.match(read(token), { refusal: why }, what)
  t.match(read(jwt(claims), []), { refusal: /no identity_secret/ })
  t.match(read(jwt({ ...claims, name: 'A\u0000B\n' })), { claims: { name: 'A B' } }, 'names are one line')
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
  ['a file', { id, type: 'file', file: 'x.y', caption: 'Look' }, null],
  ['a file without its name', { id, type: 'file' }, 'MALFORMED'],
  ['a file with an essay', { id, type: 'file', file: 'x.y', caption: 'x'.repeat(1025) }, 'TOO_LONG'],
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
