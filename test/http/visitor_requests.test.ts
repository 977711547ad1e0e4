/** Requests that no page of ours makes in this way: many at once, repeated, without a question, or after a change. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { identityToken, type Visitor, visitPage } from './visitor_page.ts'

const FIRST = 'the first secret of this very site'
const SECOND = 'the second secret of this very site'
const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { base_url } = world
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 2 })
t.teardown(() => database.close())
const { _id: channel } = await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'web',
    provider: 'cloud',
    name: 'Shop',
    credentials: { visitor_secret: 'the secret of the visitors', identity_secret: FIRST },
  }),
)
const visit = (t: Parameters<typeof visitPage>[0]) => visitPage(t, { base_url, channel })
const exp = Math.floor(Date.now() / 1000) + 3600
const post = async (path: string, body: string) => {
  const answer = await fetch(`${base_url}/${path}`, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as Json }
}
const upload = async (visitor: Visitor, text: string) => {
  const { path } = await visitor.ask('upload', { size: text.length, filename: 'a.txt' })
  return { path, ...(await post(path, text)) }
}

t.test('messages that are sent at once are stored in the order in which they were sent', async (t) => {
  const visitor = await visit(t)
  const { body } = await upload(visitor, 'first')
  const said = [
    { id: 'at-once-file', type: 'file', file: body.file, caption: '0' },
    ...Array.from({ length: 8 }, (_, n) => ({ id: `at-once-${n}`, type: 'text', body: `${n + 1}` })),
  ]
  const answers = await Promise.all(said.map((one) => visitor.ask('say', one)))
  t.same(
    answers.filter(({ error }) => error),
    [],
  )
  const { messages } = await visitor.ask('history')
  t.same(
    messages.map(({ message }: Json) => message.body ?? message.caption),
    said.map((_, n) => `${n}`),
  )
})

t.test('a page of the history ends early when its messages are large, and the next one goes on there', async (t) => {
  const visitor = await visit(t)
  const said: string[] = []
  // Control characters have six bytes each in JSON.
  for (let n = 0; n < 10; n++) said.push((await visitor.write(`${n}${'\u0001'.repeat(4000)}`)).ref)
  const pages: Json[] = []
  do pages.push(await visitor.ask('history', { before: pages.at(-1)?.before }))
  while (pages.at(-1)!.before !== null)
  for (const page of pages) {
    const { length } = JSON.stringify(page)
    t.ok(page.messages.length > 0 && length < 192 * 1024, `${page.messages.length} messages, ${length} bytes`)
  }
  t.same(
    pages.toReversed().flatMap(({ messages }) => messages.map(({ ref }: Json) => ref)),
    said,
  )
})

t.test('a message that is refused does not hold the next one', async (t) => {
  const visitor = await visit(t)
  const [refused, stored] = await Promise.all([
    visitor.ask('say', { id: 'no-such-file', type: 'file', file: 'e30.x' }),
    visitor.ask('say', { id: 'after-refusal', type: 'text', body: 'Hello' }),
  ])
  t.match(refused, { error: { code: 'FILE_GONE' } })
  t.ok(stored.ref)
})

t.test('a request without a question is answered', async (t) => {
  const visitor = await visit(t)
  const ask = (name: string, ...question: unknown[]) => visitor.socket.timeout(10_000).emitWithAck(name, ...question)
  t.match(await ask('history'), { messages: [], before: null })
  for (const name of ['say', 'seen', 'upload']) t.match(await ask(name), { error: { code: 'MALFORMED' } }, name)
  t.match(await ask('identify'), { error: { code: 'IDENTITY_INVALID' } })
  t.match(await ask('history', {}, 'more'), { messages: [] }, 'and one with more than a question')
  const closed = new Promise((resolve) => visitor.socket.once('closed', resolve))
  t.same(await ask('logout'), {})
  t.match(await closed, { code: 'TOKEN_INVALID' })
})

t.test('a page that has stored no token signs out of its own session', async (t) => {
  const visitor = await visit(t)
  t.same(await visitor.ask('logout', { visitor_token: null }), {})
  await t.rejects(visitPage(t, { base_url, channel, token: visitor.token }), { message: 'TOKEN_INVALID' })
})

t.test('a permission is for one upload', async (t) => {
  const visitor = await visit(t)
  const { path, status } = await upload(visitor, 'a text')
  t.equal(status, 200)
  t.match(await post(path, 'a text'), { status: 403, body: { error: { code: 'UPLOAD_NOT_ALLOWED' } } })
  const asked = { size: 6, filename: 'a.txt' }
  const permitted = await Promise.all([visitor.ask('upload', asked), visitor.ask('upload', asked)])
  for (const { path } of permitted) t.match(await post(path, 'a text'), { status: 200 }, 'of two equal ones each holds')
})

t.test('a file that a system would run is saved as the text that it is', async (t) => {
  const visitor = await visit(t)
  for (const [id, filename, kept] of [
    ['ending', 'run.hta', 'run.hta.txt'],
    ['device', 'CON', '_CON.txt'],
    ['hidden', '.htaccess', 'htaccess.txt'],
  ] as const) {
    const script = `<html><script>alert('${filename}')</script>`
    const { path } = await visitor.ask('upload', { size: script.length, filename })
    const { status, body } = await post(path, script)
    t.match({ status, body }, { status: 200, body: { mime_type: 'text/plain' } })
    const { error } = await visitor.ask('say', { id: `file-with-${id}`, type: 'file', file: body.file })
    t.equal(error, undefined)
    const { messages } = await visitor.ask('history')
    t.match(messages.at(-1), { message: { type: 'document', filename: kept } })
    const answer = await fetch(messages.at(-1).message.link)
    t.match(answer.headers.get('content-disposition'), `filename="${kept}"`)
  }
})

t.test('a message under way while another person signs in has nothing of that person', async (t) => {
  const token = identityToken({ sub: 'ana', aud: channel, exp, name: 'Ana' }, FIRST)
  t.ok((await (await visit(t)).ask('identify', { token })).visitor_token, 'known on another device')
  const visitor = await visit(t)
  const { body } = await upload(visitor, 'a text')
  await database.em().transactional(async (em) => {
    await em.execute('select 1 from media for update')
    visitor.socket.emit('say', { id: 'under-way', type: 'file', file: body.file }, () => {})
    await eventually('the message is under way', async () => {
      const of_visitor = 'select 1 from visitor_session where user_id = ?'
      return (await database.execute(of_visitor, [visitor.user_id])).length > 0
    })
    t.ok((await visitor.ask('identify', { token })).visitor_token)
  })
  const contact = await eventually('the message is stored', async () => {
    const { body } = await tenant.api('GET', `contacts?search=${visitor.user_id}`)
    return body.data[0]
  })
  t.match(contact, { user_id: visitor.user_id, name: null })
})

t.test('a page that is open believes the secret that the channel has now', async (t) => {
  const visitor = await visit(t)
  await made(world.operator('PATCH', `channels/${channel}`, { credentials: { identity_secret: SECOND } }))
  await eventually('the former secret is worthless', async () => {
    const other = { sub: 'eve', aud: 'another channel', exp }
    const { error } = await visitor.ask('identify', { token: identityToken(other, FIRST) })
    return /not signed/.test(error.message)
  })
  await eventually('the new one holds', async () => {
    const token = identityToken({ sub: 'eve', aud: channel, exp }, SECOND)
    return (await visitor.ask('identify', { token })).visitor_token
  })
})
