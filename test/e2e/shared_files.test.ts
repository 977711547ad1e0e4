/** What people share on Instagram, Messenger and Facebook: its file is kept where the link is one, else the link stays. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { run } from '../cli/command.ts'
import { callAsPage, connectPage, type PageAccount } from '../inputs/page_account.ts'
import { tempDir } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, OPERATOR_KEY, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { control, operator, base_url, sink } = world

const from = '6543210987654321'
/** The smallest PNG. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const FILM = Buffer.concat([
  Buffer.from('0000001866747970', 'hex'),
  Buffer.from('mp42\0\0\0\0mp42isom'),
  Buffer.alloc(5000, 1),
])
/** Meta's answer in place of a story that has ended. */
const PAGE = Buffer.from(
  '<!DOCTYPE html>\n<html lang="en"><head><title>Error</title></head><body>URL signature expired</body></html>',
)

const pictureNode = { data: PICTURE.toString('base64'), mime_type: 'image/png' }
const film = { data: FILM.toString('base64'), mime_type: 'video/mp4' }
const html = { data: PAGE.toString('base64'), mime_type: 'text/html' }

type Line = { tenant: Tenant; account: PageAccount; path: string; says(message: Json): Promise<Json> }

async function connect(channel: string): Promise<Line> {
  const tenant = await makeTenant(world)
  const account = await connectPage(world, tenant, channel)
  const path = `shared-${account.channel_id}`
  // Accounts of the type `facebook` have the events of Messenger.
  const product = channel === 'facebook' ? 'messenger' : channel
  await tenant.subscribe(path, [`${product}.message.received`, `${product}.message.media`])
  const { account_id } = account
  const says = (message: Json) => made(control('POST', 'inbound', { channel, from, account_id, message }))
  return { tenant, account, path, says }
}

/** The content of the newest message once it fits. */
function newest({ tenant }: Line, fits: (content: Json) => boolean = () => true): Promise<Json> {
  return eventually('the message', async () => {
    const [message] = (await tenant.api('GET', 'messages?direction=inbound&limit=1')).body.data
    return message && fits(message.message) && message
  })
}

const status = (node: Json | undefined) => node?.media_status
const oneFile = ({ tenant }: Line, { media_id }: Json) => tenant.api('GET', `media/${media_id}?phone_number_id=any`)

async function bytesOf({ tenant }: Line, { media_id }: Json): Promise<Buffer> {
  const headers = { authorization: `Bearer ${tenant.token}` }
  const got = await fetch(`${base_url}/v1/media/${media_id}/download?phone_number_id=any`, { headers })
  return Buffer.from(await got.arrayBuffer())
}

/** Each is told of with the id of its file, then with its facts, and the file is read by that id. */
async function isKept(t: Test, line: Line, part: (content: Json) => Json, bytes: Buffer, mime_type: string) {
  const message = await newest(line, (content) => status(part(content)) === 'stored')
  const { media_id } = part(message.message)
  t.match(part(message.message), { media_id: /^[0-9a-f]{24}$/, file_size: bytes.length, mime_type })
  t.ok((await bytesOf(line, { media_id })).equals(bytes), 'the bytes are the same')
  const told = () => sink.events(line.path).filter(({ data }) => data.message_id === message.id)
  const events = await eventually('the events', () => {
    const all = told()
    return all.some(({ data }) => data.media?.media_id === media_id) && all.some(({ data }) => data.messages) && all
  })
  const [{ data: said }] = events.filter(({ type }) => type.endsWith('received')) as [Json]
  const { type, [type]: node } = said.messages[0]
  t.match(part(node), { media_id, media_status: 'pending' }, 'the event promises the file')
  const { data: fetched } = events.find(({ data }) => data.media?.media_id === media_id)!
  t.match(fetched.media, { media_status: 'stored', media_error: null, mime_type, file_size: bytes.length })
  return message
}

const own = (content: Json) => content
const storyOf = ({ story }: Json) => story

for (const channel of ['instagram', 'messenger', 'facebook']) {
  t.test(`${channel}: reels, posts and stories that people share are kept beside the link`, async (t) => {
    const line = await connect(channel)
    for (const type of ['ig_reel', 'reel', 'ig_post', 'ig_story', 'story_mention', 'story_share']) {
      const [file, bytes, mime_type] = type.endsWith('reel')
        ? ([film, FILM, 'video/mp4'] as const)
        : ([pictureNode, PICTURE, 'image/png'] as const)
      await line.says({ type, [type]: { ...file, title: `A ${type}` } })
      const message = await isKept(t, line, own, bytes, mime_type)
      t.match(message, { type, message: { title: `A ${type}`, link: /^http/ } }, type)
    }
  })

  t.test(`${channel}: the story that is answered is kept, also beside a file of the answer`, async (t) => {
    const line = await connect(channel)
    await line.says({ type: 'text', text: { body: 'Love it' }, story: { id: '17', ...pictureNode } })
    const answer = await isKept(t, line, storyOf, PICTURE, 'image/png')
    t.match(answer.message, { type: 'text', body: 'Love it', story: { id: '17', url: /^http/ } })
    t.notOk('media_id' in answer.message, 'the text is no file')
    await line.says({ type: 'video', video: film, story: { id: '18', ...pictureNode } })
    const both = await isKept(t, line, storyOf, PICTURE, 'image/png')
    t.match(await newest(line, (content) => status(content) === 'stored'), {
      id: both.id,
      message: { mime_type: 'video/mp4' },
    })
    t.not(both.message.media_id, both.message.story.media_id)
  })

  t.test(`${channel}: a page in place of a file is not stored, and the link stays`, async (t) => {
    const line = await connect(channel)
    await line.says({ type: 'story_mention', story_mention: html })
    const { message } = await newest(line, (content) => status(content) === 'failed')
    t.match(message, { link: /^http/, media_error: { code: 'is_page', message: /web page/ } })
    t.notOk('mime_type' in message)
    t.equal((await oneFile(line, message)).status, 404)
    await line.says({ type: 'text', text: { body: 'Oh' }, story: { id: '19', ...html } })
    const { message: answer } = await newest(line, ({ story }) => status(story) === 'failed')
    t.match(answer.story, { url: /^http/, media_error: { code: 'is_page' } })
    const { body, status: code } = await line.tenant.api('POST', `media/${message.media_id}/fetch`)
    t.match({ code, body }, { code: 202, body: { media_status: 'pending' } }, 'it is fetched again on request')
    await line.says({ type: 'document', document: html })
    if (channel !== 'instagram') {
      const kept = await newest(line, (content) => status(content) === 'stored')
      t.match(kept, { type: 'document' }, 'a page that a person sends as a file is one')
    }
  })
}

/** Bodies as others have seen them. */
const LOOKASIDE = 'https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=18128888623723534&signature=test'
const BODIES: { what: string; attachment: Json; is_file: boolean }[] = [
  {
    what: 'a post, which is a picture at the network of files',
    attachment: {
      type: 'ig_post',
      payload: { url: LOOKASIDE, title: 'n8n AI', ig_post_media_id: '18128888623723534' },
    },
    is_file: true,
  },
  {
    what: 'a reel, which is its page',
    attachment: {
      type: 'ig_reel',
      payload: { url: 'https://www.instagram.com/reel/DaJLEKKKgay/', title: '😌', reel_video_id: '18377700250207804' },
    },
    is_file: false,
  },
  {
    what: 'a reel, which is a film',
    attachment: { type: 'ig_reel', payload: { url: LOOKASIDE, title: 'Krakatau', reel_video_id: '17906265141506851' } },
    is_file: true,
  },
  { what: 'a mention in a story', attachment: { type: 'story_mention', payload: { url: LOOKASIDE } }, is_file: true },
  {
    what: 'a share at the network of files',
    attachment: { type: 'share', payload: { url: LOOKASIDE } },
    is_file: true,
  },
  {
    what: 'a share of any address',
    attachment: { type: 'share', payload: { url: 'https://www.example.com/test.jpeg' } },
    is_file: false,
  },
  {
    what: 'a host that only looks like the network of files',
    attachment: { type: 'share', payload: { url: 'https://fbcdn.net.example.com/a.jpeg' } },
    is_file: false,
  },
  {
    what: 'a post of a page',
    attachment: { type: 'post', payload: { url: 'https://www.facebook.com/682498302938465/posts/1' } },
    is_file: false,
  },
  { what: 'a mention without an address', attachment: { type: 'story_mention', payload: {} }, is_file: false },
]

t.test('the address of what is shared tells whether it is a file', async (t) => {
  const line = await connect('instagram')
  for (const [at, { what, attachment, is_file }] of BODIES.entries()) {
    const event = { sender: { id: from }, message: { mid: `m_body_${at}`, attachments: [attachment] } }
    t.equal((await callAsPage(world, line.account, [event])).status, 200)
    t.equal((await callAsPage(world, line.account, [event])).status, 200, 'again')
    const { type, message } = await newest(line, (content) => content.type === attachment.type)
    t.match(message, { link: attachment.payload.url, media_id: is_file ? /^[0-9a-f]{24}$/ : undefined }, what)
    t.equal(type, attachment.type)
  }
  const { data } = (await line.tenant.api('GET', 'messages?direction=inbound&limit=100')).body
  t.equal(data.length, BODIES.length, 'each once')
})

t.test('what is shared with a text is kept as its attachment', async (t) => {
  const line = await connect('instagram')
  const { event } = await line.says({ type: 'ig_post', ig_post: pictureNode })
  const share = { type: 'share', payload: { url: 'https://www.example.com/' } }
  const message = { mid: 'm_with_text', text: 'Do you have this?', attachments: [share, ...event.message.attachments] }
  await callAsPage(world, line.account, [{ sender: { id: from }, message }])
  const stored = await isKept(t, line, ({ attachments }) => attachments?.[1], PICTURE, 'image/png')
  t.match(stored, { type: 'text', message: { body: 'Do you have this?', attachments: [share, { type: 'ig_post' }] } })
  t.notOk('media_id' in stored.message.attachments[0])
})

t.test('an answer to a story that is withdrawn takes the file with it', async (t) => {
  const line = await connect('instagram')
  const { provider_message_id: mid } = await line.says({ type: 'text', text: { body: 'Hi' }, story: pictureNode })
  const { message } = await newest(line, ({ story }) => status(story) === 'stored')
  t.equal((await oneFile(line, message.story)).status, 200)
  await line.says({ mid, is_deleted: true })
  await eventually('the file is gone', async () => (await oneFile(line, message.story)).status === 404)
})

t.test('files that a person shared are exported, and erased with the person', async (t) => {
  const line = await connect('instagram')
  await line.says({ type: 'ig_reel', ig_reel: film })
  const { message: reel, chat_user } = await newest(line, (content) => status(content) === 'stored')
  await line.says({ type: 'text', text: { body: 'Hi' }, story: pictureNode })
  const { message: answer } = await newest(line, ({ story }) => status(story) === 'stored')
  const ids = [reel.media_id, answer.story.media_id]
  const env = { PARLEY_BASE_URL: base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  const output = join(tempDir(t), 'person.tar')
  const exported = await run(['data', 'export', '--contact', chat_user, '--output', output], env)
  t.equal(exported.code, 0, exported.err)
  const inside = execFileSync('tar', ['-tf', output], { encoding: 'utf8' }).trim().split('\n')
  for (const id of ids) t.ok(inside.includes(`media/${id}`), `media/${id}`)
  const { _id } = await made(operator('POST', 'erasures', { kind: 'contact', id: chat_user, confirm: true }))
  await eventually('the erasure is done', async () => (await operator('GET', `erasures/${_id}`)).body.status === 'done')
  for (const media_id of ids) t.equal((await oneFile(line, { media_id })).status, 404)
})
