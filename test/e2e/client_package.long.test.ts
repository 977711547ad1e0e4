/** `@parley/client` against a real node: built, installed, and used as its README shows. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { ApiError, type CloudEventOf, Parley, type ThinEvent, verifyWebhook } from '../../http/client/mod.ts'
import { installClient, readmeProgram } from '../client/package.ts'
import { tempDir } from '../support/mod.ts'
import { eventually } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

const world = await startWorld(t)
const { base_url, sink } = world
const tenant = await makeTenant(world)
const parley = new Parley({ base_url, token: tenant.token })

/** The commands that run a program, by runtime. `npm run test:client` adds those of Deno and Bun. */
const runtimes: Record<string, string[]> = {
  node: [process.execPath],
  ...JSON.parse(process.env.PARLEY_TEST_RUNTIMES ?? '{}'),
}

t.test('the snippets of the README compile under --strict and run', async (t) => {
  const folder = tempDir(t)
  installClient(folder)
  const program = readmeProgram(
    folder,
    base_url,
    `
    const { headers, body, polled } = JSON.parse(process.env.GIVEN!)
    const deliver = (text: string) => receive(new Request('http://x/', { method: 'POST', headers, body: text }))
    console.log('statuses', (await deliver(body)).status, (await deliver(body + ' ')).status)
    const end = new AbortController()
    setTimeout(() => end.abort(new Error('enough')), 2000)
    await work(polled, end.signal).catch((error) => console.log('ended', error.message))
    `,
  )
  for (const [runtime, [command, ...args]] of Object.entries(runtimes)) {
    const { secret } = await tenant.subscribe(runtime, ['whatsapp.message.received'])
    const polled = await parley.webhooks.create({ name: 'Polled', mode: 'poll', events: ['whatsapp.message.received'] })
    await tenant.writes('+5215512345678', 'Hello')
    const [delivery] = await eventually('a delivery', () => sink.calls(runtime).length > 0 && sink.calls(runtime))
    const genuine = { 'webhook-id': '', 'webhook-timestamp': '', 'webhook-signature': '' }
    for (const name of Object.keys(genuine) as (keyof typeof genuine)[]) genuine[name] = delivery!.headers[name]!
    const given = { headers: genuine, body: delivery!.raw, polled: polled.id }
    const env = { PARLEY_TOKEN: tenant.token, WEBHOOK_SECRET: secret, GIVEN: JSON.stringify(given) }
    const ran = await promisify(execFile)(command!, [...args, program], { env: { ...process.env, ...env } })
    t.match(ran.stdout, /^queued\n\d\n/, runtime)
    t.match(ran.stdout, /\nexists as [0-9a-f]{24}\n/)
    t.match(ran.stdout, /\nreceived Hello\nstatuses 204 400\npolled whatsapp\.message\.received\nended enough\n$/)
  }
})

t.test('a delivery signed with the key of the project is verified with its public keys', async (t) => {
  const { id } = await tenant.subscribe('ed25519', ['crm.note.created'], { ed25519: true })
  await parley.webhooks.test(id, { event_type: 'crm.note.created' })
  const [call] = await eventually('a delivery', () => sink.calls('ed25519').length > 0 && sink.calls('ed25519'))
  const { keys } = await parley.webhooks.getJwks(tenant.project_id)
  t.strictSame(await verifyWebhook(call!.raw, call!.headers, { keys }), call!.body)
  const error = await verifyWebhook(`${call!.raw} `, call!.headers, { keys }).catch((error) => error)
  t.match(error, { name: 'WebhookVerificationError' })
})

t.test('the other forms of an event have types', async (t) => {
  const note = 'crm.note.created'
  const forms = {
    thin: { payload: 'thin' },
    cloud: { format: 'cloudevents' },
    both: { payload: 'thin', format: 'cloudevents' },
  }
  const received = async <Event>(path: keyof typeof forms): Promise<Event> => {
    const { id, secret } = await tenant.subscribe(path, [note], forms[path])
    await parley.webhooks.test(id, { event_type: note })
    const [call] = await eventually('a delivery', () => sink.calls(path).length > 0 && sink.calls(path))
    return verifyWebhook<Event>(call!.raw, call!.headers, { secret })
  }
  const thin = await received<ThinEvent<typeof note>>('thin')
  const whole = await parley.webhooks.getEvent(thin.id)
  t.match([thin.type, thin.data.event, whole.type], [note, `/v1/events/${thin.id}`, note])
  const cloud = await received<CloudEventOf>('cloud')
  if (cloud.type !== note) return t.fail(cloud.type)
  t.match([cloud.specversion, cloud.data.content], ['1.0', /./], 'the type decides about the data')
  const both = await received<CloudEventOf<ThinEvent>>('both')
  t.match([both.projectid, both.data.event], [tenant.project_id, `/v1/events/${both.id}`])
})

t.test('an error knows the facts of its code', async (t) => {
  const body = { channel_type: 'web', user_id: 'twice' } as const
  const { _id } = await parley.contacts.create(body)
  const error = await parley.contacts.create(body).catch((error: unknown) => error)
  if (!(error instanceof ApiError) || !error.is('CONTACT_ALREADY_EXISTS')) return t.fail(String(error))
  const contact_id: string | undefined = error.details.contact_id
  t.equal(contact_id, _id)
})

t.test('files go up as a form and come down as a stream', async (t) => {
  const { phone_number_id } = tenant.number
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
    'base64',
  )
  const file = new Blob([bytes], { type: 'image/png' })
  const { media_id } = await parley.media.upload({ file, phone_number_id })
  const response = await parley.media.download(media_id, { phone_number_id })
  t.strictSame(Buffer.from(await response.arrayBuffer()), bytes)
  await parley.media.delete(media_id, { phone_number_id })
  const error = await parley.media.get(media_id, { phone_number_id }).catch((error) => error)
  t.match(error, { name: 'NotFoundError', status: 404, request_id: String })
})

t.test('pages follow each other, and a version guards a change', async (t) => {
  for (const user_id of ['p1', 'p2', 'p3']) await parley.contacts.create({ channel_type: 'web', user_id })
  const ids: string[] = []
  for await (const { user_id } of parley.contacts.list({ channel_type: 'web', search: 'p', limit: 2 }))
    ids.push(user_id)
  t.strictSame(ids, ['p3', 'p2', 'p1'])
  const notes = []
  const [contact] = (await parley.contacts.list({ search: 'p1' })).data
  for (const content of ['a', 'b', 'c']) await parley.notes.create({ chat_user: contact!._id, content })
  for await (const { content } of parley.notes.list({ limit: 1, chat_user: contact!._id })) notes.push(content)
  t.strictSame(notes, ['c', 'b', 'a'])
  const [ticket] = (await parley.tickets.list()).data
  const versions: (string | undefined)[] = []
  const { _id } = await parley.tickets.get(ticket!._id, { on_answer: ({ etag }) => versions.push(etag) })
  const [if_match] = versions
  await parley.tickets.update(_id, { priority: 'high' }, { if_match: if_match! })
  const late = await parley.tickets.update(_id, { priority: 'low' }, { if_match: if_match! }).catch((error) => error)
  t.match(late, { name: 'ConflictError', code: 'PRECONDITION_FAILED' })
})

t.test('a repeated call with a key is done once, and the server says so', async (t) => {
  const replays: boolean[] = []
  const options = {
    idempotency_key: 'once',
    on_answer: (answer: { is_replayed: boolean }) => replays.push(answer.is_replayed),
  }
  const body = { channel_type: 'web', user_id: 'once' } as const
  const [first, second] = [await parley.contacts.create(body, options), await parley.contacts.create(body, options)]
  t.equal(first._id, second._id)
  t.strictSame(replays, [false, true])
})
