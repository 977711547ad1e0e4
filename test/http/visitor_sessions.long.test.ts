/**
 * Sessions, identities and files of visitors, and strangers who try to get into the conversations of others. One file,
 * because all tests share one node and its two channels of the web chat.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { made, makeTenant, startWorld } from '../e2e/fixture.ts'
import { rowsWith } from '../e2e/traces.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { identityToken, type Visitor, visitPage } from './visitor_page.ts'

const IDENTITY = 'the secret with which the site signs'
// A node to itself, because the tests use up the limits of their address.
const world = await startWorld(t)
const tenant = await makeTenant(world)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())

const connectWeb = async (credentials: object = {}) => {
  const all = { visitor_secret: 'the secret of the visitors', identity_secret: IDENTITY, ...credentials }
  const fields = { project_id: tenant.project_id, channel_type: 'web', provider: 'cloud', name: 'Shop' }
  return (await made(world.operator('POST', 'channels', { ...fields, credentials: all })))._id as string
}
const channel = await connectWeb()
const other_channel = await connectWeb()
const { base_url } = world
const visit = (t: Parameters<typeof visitPage>[0], token?: string, at = channel) =>
  visitPage(t, { base_url, channel: at, token })
const in_s = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const signed = (claims: object, secret = IDENTITY) => identityToken({ aud: channel, exp: in_s(600), ...claims }, secret)
const bodies = async (visitor: Visitor) =>
  (await visitor.ask('history')).messages.map(({ message }: Json) => message.body)
const left = (visitor: Visitor) => new Promise<Json>((resolve) => visitor.socket.once('closed', resolve))

t.test('a token is stored as its hash, once something was said', async (t) => {
  const visitor = await visit(t)
  const rows = () => database.execute('select * from visitor_session where user_id = ?', [visitor.user_id])
  t.same(await rows(), [], 'a look stores nothing')
  t.equal((await visit(t, visitor.token)).user_id, visitor.user_id, 'and is the same visitor after a reload')
  await visitor.write('Hello')
  const [row] = await rows()
  t.match(row, { hash: /^[0-9a-f]{64}$/, channel_id: channel, is_identified: false })
  t.notMatch(JSON.stringify(row), visitor.token.split('.')[2]!)
})

t.test('signing out ends the session in all tabs, for good', async (t) => {
  const visitor = await visit(t)
  await visitor.write('Secret')
  const tab = await visit(t, visitor.token)
  const other = await visit(t)
  const closed = left(tab)
  t.same(await visitor.ask('logout'), {})
  t.match(await closed, { code: 'TOKEN_INVALID' })
  await t.rejects(visit(t, visitor.token), { message: 'TOKEN_INVALID' })
  const unsaid = await visit(t)
  await other.ask('logout', { visitor_token: unsaid.token })
  await t.rejects(visit(t, unsaid.token), { message: 'TOKEN_INVALID' }, 'also where nothing was said')
  t.same(await other.ask('logout', { visitor_token: `${visitor.user_id}.x.y.z` }), {}, 'what is no token ends nothing')
})

t.test('a person whom the site has signed is one visitor on all devices', async (t) => {
  const first = await visit(t)
  await first.write('From my laptop')
  const tab = await visit(t, first.token)
  const closed = left(tab)
  const named = await first.ask('identify', {
    token: signed({ sub: 'ana', name: 'Ana', phone_number: '+15551230000' }),
  })
  t.match(named, { visitor_token: String })
  t.not(named.visitor_token, first.token, 'the session is another one')
  t.match(await closed, { code: 'TOKEN_INVALID' }, 'the former one is over')
  await t.rejects(visit(t, first.token), { message: 'TOKEN_INVALID' })
  const laptop = await visit(t, named.visitor_token)
  t.equal(laptop.user_id, first.user_id, 'the conversation goes on')
  t.same(await laptop.ask('identify', { token: signed({ sub: 'ana' }) }), {}, 'said again it changes nothing')

  const phone = await visit(t)
  await phone.write('Who am I?')
  const { visitor_token } = await phone.ask('identify', { token: signed({ sub: 'ana' }) })
  const known = await visit(t, visitor_token)
  t.equal(known.user_id, first.user_id)
  t.same(await bodies(known), ['From my laptop'])
  await known.write('From my phone')
  await eventually('the other device hears it', () =>
    laptop.heard.some(({ message }) => message.body === 'From my phone'),
  )
  const { body } = await tenant.api('GET', `contacts?search=${first.user_id}`)
  t.match(body.data ?? body.contacts, [{ user_id: first.user_id, name: 'Ana', phone: '+15551230000' }])
})

t.test('the phone that the site has signed links the contact to the customer', async (t) => {
  const { company_id } = tenant
  const customerWith = async (phone: string) =>
    (await made(world.operator('POST', 'customers', { company_id, full_name: 'Zoe', phone })))._id
  const contactOf = async ({ user_id }: Visitor) => (await tenant.api('GET', `contacts?search=${user_id}`)).body.data[0]
  const identified = async (visitor: Visitor, sub: string, phone_number: string) =>
    visit(t, (await visitor.ask('identify', { token: signed({ sub, phone_number }) })).visitor_token)

  const zoe = await customerWith('+15551230001')
  const fresh = await identified(await visit(t), 'zoe', '+15551230001')
  await fresh.write('I am new')
  t.equal((await contactOf(fresh)).customer_id, zoe, 'a new contact')

  const max = await customerWith('+15551230002')
  const anonymous = await visit(t)
  await anonymous.write('Who am I?')
  t.equal((await contactOf(anonymous)).customer_id, null)
  const known = await identified(anonymous, 'max', '+15551230002')
  await known.write('I am Max')
  t.match(
    await contactOf(known),
    { _id: (await contactOf(anonymous))._id, customer_id: max },
    'one that has no phone yet',
  )
})

t.test('the event of a message has what the site has signed, and nothing that a page says', async (t) => {
  const hook = await tenant.subscribe('visitors', ['web.message.received'])
  const visitor = await visit(t)
  const claims = { sub: 'bea', name: 'Bea <script>alert(1)</script>', email: 'bea@example.com' }
  const { visitor_token } = await visitor.ask('identify', { token: signed(claims) })
  const named = await visit(t, visitor_token)
  const lies = { id: 'page-lies-1', type: 'text', body: 'Hi', person: { external_id: 'root' }, user_id: 'visitor-0' }
  await named.ask('say', lies)
  const [delivery] = await eventually('the event', async () => {
    const all = await tenant.deliveries(hook.id)
    return all.length > 0 && all
  })
  const event = await made(tenant.api('GET', `events/${delivery.event_id}`))
  const text = JSON.stringify(event)
  t.match(text, /"external_id":"bea"/)
  t.match(text, /bea@example\.com/)
  t.notMatch(text, /root|visitor-0"/)
})

t.test('two people of one browser are two visitors', async (t) => {
  const one = await visit(t)
  const { visitor_token } = await one.ask('identify', { token: signed({ sub: 'carl' }) })
  const carl = await visit(t, visitor_token)
  await carl.write('I am Carl')
  const dora = await carl.ask('identify', { token: signed({ sub: 'dora' }) })
  const next = await visit(t, dora.visitor_token)
  t.not(next.user_id, carl.user_id)
  t.same(await bodies(next), [], 'nothing of the other one')
})

t.test('unsigned claims change nothing', async (t) => {
  const visitor = await visit(t)
  await visitor.write('Just me')
  const bad: [string, unknown, RegExp][] = [
    ['nothing', undefined, /no text/],
    ['the secret of another site', signed({ sub: 'ana' }, 'a secret of 32 characters and more'), /not signed/],
    ['another channel', signed({ sub: 'ana', aud: other_channel }), /aud/],
    ['a token of yesterday', signed({ sub: 'ana', exp: in_s(-86_400) }), /expired/],
    ['a token for ever', signed({ sub: 'ana', exp: in_s(10 * 86_400) }), /24 hours/],
  ]
  for (const [what, token, why] of bad)
    t.match(await visitor.ask('identify', { token }), { error: { code: 'IDENTITY_INVALID', message: why } }, what)
  t.match(
    await visitor.ask('identify', { token: signed({ sub: 'ana' }) }),
    { error: { code: 'TOO_FAST' } },
    'few tries',
  )
  t.same(await bodies(visitor), ['Just me'])
  const elsewhere = await visit(t, undefined, other_channel)
  const { error } = await elsewhere.ask('identify', { token: signed({ sub: 'ana' }) })
  t.equal(error.code, 'IDENTITY_INVALID', 'a token is of one channel')
})

t.test('the secret of the site is sealed, never shown, and two hold while it is exchanged', async (t) => {
  const own = await connectWeb({ identity_secret: 'the first secret of this very site' })
  const claims = { sub: 'eve', aud: own, exp: in_s(600) }
  const credentials = {
    identity_secret: 'the second secret of this very site',
    previous_identity_secret: 'the first secret of this very site',
  }
  const changed = await made(world.operator('PATCH', `channels/${own}`, { credentials }))
  t.notMatch(JSON.stringify(changed), /secret of this/)
  const [{ credentials: sealed } = {}] = await database.execute<Json>('select credentials from channel where _id = ?', [
    own,
  ])
  t.notMatch(sealed, /secret of this/)
  for (const secret of Object.values(credentials)) {
    await eventually('the change is seen', async () => {
      const visitor = await visit(t, undefined, own)
      return (await visitor.ask('identify', { token: identityToken(claims, secret) })).visitor_token
    })
  }
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const post = async (path: string, body: Buffer, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${base_url}/${path}`, { method: 'POST', body: new Uint8Array(body), headers })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json }
}

t.test('a visitor sends a picture, which the project can fetch', async (t) => {
  const visitor = await visit(t)
  const tab = await visit(t, visitor.token)
  const filename = '../<img src=x onerror=alert(1)>\u202E.png'
  const { path } = await visitor.ask('upload', { size: PNG.length, filename })
  const before = await fetch(`${base_url}/${path}`, { method: 'OPTIONS' })
  t.equal(before.status, 204)
  t.match(before.headers.get('access-control-allow-headers'), 'content-type', 'pages of other sites may send it')
  const { status, body } = await post(path, PNG)
  t.equal(status, 200)
  t.match(body, { type: 'image', mime_type: 'image/png' })
  const say = { id: 'page-file-1', type: 'file', file: body.file, caption: 'Look' }
  const { ref } = await visitor.ask('say', say)
  t.equal((await visitor.ask('say', say)).ref, ref, 'said again it is the same')
  const live = await eventually('the other tab shows it', () => tab.heard.find((one) => one.ref === ref))
  t.match(live.message, { type: 'image', caption: 'Look', link: String, filename: '<img src=x onerror=alert(1)>.png' })
  const shown = await fetch(live.message.link)
  t.ok(PNG.equals(Buffer.from(await shown.arrayBuffer())))
  const stored = await eventually('it is stored', async () => {
    const { body } = await tenant.api('GET', 'messages?channel=web&status=received')
    return body.data.find((one: Json) => one.provider_message_id === ref)
  })
  t.match(stored, { type: 'image', message: { media_id: String, mime_type: 'image/png', file_size: PNG.length } })
  const { media_id } = stored.message
  const fetched = await fetch(`${base_url}/v1/media/${media_id}/download?phone_number_id=${channel}`, {
    headers: { authorization: `Bearer ${tenant.token}` },
  })
  t.ok(PNG.equals(Buffer.from(await fetched.arrayBuffer())))
  const stranger = await visit(t)
  t.match(
    await stranger.ask('say', { ...say, id: 'page-stolen' }),
    { error: { code: 'FILE_GONE' } },
    'of this visitor alone',
  )
})

t.test('files that are too large or can run code are refused, and nothing is read without a permission', async (t) => {
  const visitor = await visit(t)
  const html = Buffer.from('<html><script>alert(1)</script></html>')
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  const zip = Buffer.from('504b0304140000000000000000000000000000000000000000000000000000000000', 'hex')
  const elf = Buffer.concat([Buffer.from('7f454c4602010100', 'hex'), Buffer.alloc(64)])
  for (const [filename, bytes] of Object.entries({ 'a.zip': zip, 'a.png': elf, 'a.svg': svg })) {
    const { path } = await visitor.ask('upload', { size: bytes.length, filename })
    const { status, body } = await post(path, bytes)
    const is_text = filename === 'a.svg' && status === 200
    t.ok(is_text ? body.mime_type === 'text/plain' : status === 415, `${filename}: ${status} ${body.mime_type ?? ''}`)
  }
  const { path } = await visitor.ask('upload', { size: html.length, filename: 'a.html' })
  const page = await post(path, html)
  if (page.status === 200) t.equal(page.body.mime_type, 'text/plain', 'a browser shows it as text')
  else t.equal(page.status, 415)
  t.match(await post(path, Buffer.concat([html, html])), { status: 400 }, 'more bytes than were announced')
  t.match(await post(`visitor/files/${other_channel}/${path.split('/').at(-1)}`, html), { status: 403 })
  t.match(await post(`visitor/files/${channel}/e30.x`, html), { status: 403 })
  t.match(await post(`visitor/files/${'0'.repeat(24)}/e30.x`, html), { status: 403 })
  t.match(await visitor.ask('upload', { size: 21 * 1024 * 1024 }), { error: { code: 'FILE_TOO_LARGE' } })
  for (const size of [0, -1, 1.5, '1', null])
    t.match(await visitor.ask('upload', { size }), { error: { code: 'MALFORMED' } })
})

t.test('an erasure leaves nothing of a visitor, and ends the sessions', async (t) => {
  const first = await visit(t)
  await first.write('I am Zora')
  const token = signed({ sub: 'site-person-zora', name: 'Zora Zett', email: 'zora@site.example' })
  const { visitor_token } = await first.ask('identify', { token })
  const zora = await visit(t, visitor_token)
  await zora.write('Forget me')
  const other = await visit(t)
  await other.write('Keep me')
  const closed = left(zora)
  const { body } = await tenant.api('GET', `contacts?search=${zora.user_id}`)
  const { _id: id } = body.data[0]
  const counted = await made(world.operator('GET', `erasure-preview?kind=contact&id=${id}`))
  t.match(counted.counts, { visitor_identity: 1, visitor_session: 2 })
  const erasure = await made(world.operator('POST', 'erasures', { kind: 'contact', id, confirm: true }))
  const { counts } = await eventually('the erasure has ended', async () => {
    const shown = await made(world.operator('GET', `erasures/${erasure._id}`))
    return shown.status === 'done' && shown
  })
  t.match(counts, { visitor_identity: 1, visitor_session: 2 })
  t.same(await rowsWith(database, [zora.user_id, 'site-person-zora', 'Zora Zett', 'zora@site.example']), [])
  t.match(await closed, { code: 'TOKEN_INVALID' }, 'an open page is told')
  for (const ended of [first.token, visitor_token]) await t.rejects(visit(t, ended), { message: 'TOKEN_INVALID' })
  t.same(await bodies(await visit(t, other.token)), ['Keep me'])

  const again = await visit(t)
  const { visitor_token: next } = await again.ask('identify', { token })
  const anew = await visit(t, next)
  t.not(anew.user_id, zora.user_id, 'the person is another visitor from now on')
  t.same(await bodies(anew), [])
})

t.test('a flood of uploads is refused by the session, then by the address', async (t) => {
  const flood = async (visitor: Visitor) => {
    for (;;) {
      const { error } = await visitor.ask('upload', { size: 20 * 1024 * 1024, filename: 'x' })
      if (error) return error
    }
  }
  t.match(await flood(await visit(t)), { code: 'TOO_FAST', message: /MB|many files|network/ })
  const error = await flood(await visit(t))
  t.match(error, { code: 'TOO_FAST', message: /network/, retry_after_s: Number })
  // The rest of the address goes to permissions that are none.
  let last = 403
  for (let n = 0; n < 120 && last === 403; n++) last = (await post(`visitor/files/${channel}/e30.x`, PNG)).status
  t.equal(last, 429)
})

t.test('an agent has a name and a photo, served by us', async (t) => {
  const visitor = await visit(t)
  await visitor.write('Anybody?')
  t.equal((await visitor.ask('history')).agent, null)
  const photo = PNG.toString('base64')
  const user = await made(world.operator('PATCH', `users/${tenant.user_id}`, { photo }))
  t.match(user, { photo_url: /^\/widget\/photos\/[0-9a-f]{64}$/ })
  const { headers, status } = await fetch(`${base_url}${user.photo_url}`)
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'image/png')
  t.match(headers.get('cache-control'), /immutable/)
  const [ticket] = await database.execute<{ _id: string }>(
    'select t._id from ticket t join contact c on c._id = t.chat_user where c.user_id = ?',
    [visitor.user_id],
  )
  await made(tenant.api('PATCH', `crm/tickets/${ticket!._id}`, { assigned_to: tenant.user_id }))
  const { agent } = await visitor.ask('history')
  t.same(agent, { name: user.full_name, photo_url: user.photo_url })
  for (const bad of ['', 'x', Buffer.from('<svg/>').toString('base64'), Buffer.alloc(200_000).toString('base64')])
    t.equal((await world.operator('PATCH', `users/${tenant.user_id}`, { photo: bad })).status, 400, bad.slice(0, 20))
  t.match(await made(world.operator('PATCH', `users/${tenant.user_id}`, { photo: null })), { photo_url: null })
  t.equal((await fetch(`${base_url}${user.photo_url}`)).status, 404)
})

t.test('the samples of the page make tokens that we believe', async (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/channels/web.md'), 'utf8')
  const sample = (language: string) =>
    new RegExp(`\`\`\`${language}\\n(\\S[\\s\\S]*?identity[\\s\\S]*?)\`\`\``).exec(page)![1]!
  const env = { ...process.env, IDENTITY_SECRET: IDENTITY, CHANNEL_ID: channel }
  const tokens = {
    Node: execFileSync(process.execPath, ['--input-type=module', '-e', sample('js')], { env })
      .toString()
      .trim(),
    Python: execFileSync('python3', ['-c', sample('python')], { env })
      .toString()
      .trim(),
  }
  for (const [language, token] of Object.entries(tokens)) {
    const visitor = await visit(t)
    t.match(await visitor.ask('identify', { token }), { visitor_token: String }, language)
  }
})
