/** Files of people through handovers, erasures and providers that stand still. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { type FetchOutcome, MediaFetcher } from '../../actors/received_files/mod.ts'
import { silentLog } from '../../runtime/mod.ts'
import { type BlobStore, objectId, openBlobs, openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET, tempDir } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator, config } = world
const database = await openDatabase({ url: config.database_url!, secret: TEST_SECRET, pool_size: 3 })
t.teardown(() => database.close())

const SECRET = 'a-secret_token'
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** Telegram, as its documentation has it. A file whose id begins with `held` comes in two halves. */
async function startTelegram() {
  const held: ServerResponse[] = []
  const asked: { file_id: string; at: number }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { file_id = '' } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Json
      if (request.url!.includes('/file/bot')) {
        response.writeHead(200, { 'content-length': PICTURE.length })
        if (!request.url!.includes('held')) return response.end(PICTURE)
        response.write(PICTURE.subarray(0, 20))
        return held.push(response)
      }
      const file_path = `photos/${file_id}.jpg`
      response.setHeader('content-type', 'application/json')
      asked.push({ file_id, at: Date.now() })
      if (file_id.startsWith('late') && asked.filter((one) => one.file_id === file_id).length === 1) {
        const parameters = { retry_after: 3 }
        return response
          .writeHead(429)
          .end(JSON.stringify({ ok: false, error_code: 429, description: 'Too Many Requests', parameters }))
      }
      return response.end(JSON.stringify({ ok: true, result: { file_id, file_unique_id: 'AQAD', file_path } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Requests for paths of files. One whose id begins with `late` is told to come again in three seconds. */
    asked,
    /** Requests for files that wait. */
    held,
    release: () => held.splice(0).forEach((response) => void response.end(PICTURE.subarray(20))),
  }
}

const telegram = await startTelegram()
let bots = 0
let updates = 0

async function connectBot({ project_id }: Tenant) {
  const bot_token = `${process.pid * 1000 + ++bots}:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`
  const credentials = { bot_token, webhook_secret: SECRET, api_base_url: telegram.url }
  const fields = { project_id, channel_type: 'telegram', provider: 'cloud', name: 'Bot', credentials }
  const { _id: channel_id } = await made(operator('POST', 'channels', fields))
  const tell = async (update: Json) => {
    const headers = { 'x-telegram-bot-api-secret-token': SECRET, 'content-type': 'application/json' }
    const raw = JSON.stringify({ update_id: ++updates, ...update })
    const url = `${world.base_url}/providers/telegram/${channel_id}`
    const { status } = await world.http('POST', url, { raw, headers })
    if (status !== 200) throw new Error(`${status}`)
  }
  const message = (file_id: string, person = 518273640) => ({
    message_id: ++updates,
    from: { id: person, is_bot: false, first_name: 'Ana' },
    chat: { id: person, first_name: 'Ana', type: 'private' },
    date: Math.floor(Date.now() / 1000),
    photo: [{ file_id, file_unique_id: 'AQAD', file_size: PICTURE.length, width: 1, height: 1 }],
  })
  return { channel_id, tell, message, sends: (file_id: string) => tell({ message: message(file_id) }) }
}

type Bot = Awaited<ReturnType<typeof connectBot>>

function received({ api }: Tenant, { channel_id }: Bot, media_status: string): Promise<Json> {
  return eventually(`a file that is ${media_status}`, async () => {
    const { data } = (await api('GET', 'messages?direction=inbound&limit=200')).body
    return data.find((one: Json) => one.channel_id === channel_id && one.message.media_status === media_status)
  })
}

const fileRow = async (media_id: string) =>
  (await database.execute<Json>(`select * from media where media_id = '${media_id}' and expires_at > now()`))[0]

/** The work of another node. `put`: before the bytes are stored. */
async function anotherNode(t: Test, put: () => Promise<unknown> = async () => {}) {
  const blobs = await openBlobs(pathToFileURL(`${tempDir(t)}/`).href)
  const held: BlobStore = Object.assign(Object.create(blobs) as BlobStore, {
    put: async (...given: Parameters<BlobStore['put']>) => {
      await put()
      return blobs.put(...given)
    },
  })
  const fetcher = new MediaFetcher({
    database,
    blobs: held,
    providers: { of: () => ({ fetchFile: async () => ({ stream: Readable.from([PICTURE]) }) }) as never },
    takeRoom: async () => true,
    directory: tempDir(t),
    log: silentLog,
  })
  return (tenant: Tenant, media_id: string, attempt: number) => {
    const channel = { channel_type: 'telegram', provider: 'cloud', credentials: {} }
    const { company_id, project_id } = tenant
    const about = { media_id, attempt, company_id, project_id, channel, reference: {} }
    return fetcher.run(
      { ...about, mime_type: null, filename: null, provider_media_id: null },
      new AbortController().signal,
    )
  }
}

t.test('a node that stood still does not touch a file that the next owner has stored', async (t) => {
  const tenant = await makeTenant(world)
  const bot = await connectBot(tenant)
  await bot.sends('photo')
  const { media_id } = (await received(tenant, bot, 'stored')).message
  const before = await fileRow(media_id)
  t.match(await (await anotherNode(t))(tenant, media_id, 1), { kind: 'delayed' })
  t.same(await fileRow(media_id), before)
})

t.test('of two attempts at a file the last one stores it, in whatever order their bytes come', async (t) => {
  const tenant = await makeTenant(world)
  const media_id = objectId()
  const attempts = (n: number) =>
    database.execute(`update media_fetch set attempts = ${n} where media_id = '${media_id}'`)
  await database.execute(`
    insert into media_fetch (media_id, project_id, channel_id, reference, attempts, next_at, created_at)
    values ('${media_id}', '${tenant.project_id}', '${tenant.number.channel_id}', '{}', 1, now() + interval '1 day', now())`)
  let second: FetchOutcome | undefined
  const late = await anotherNode(t, async () => {
    await attempts(2)
    second = await (await anotherNode(t))(tenant, media_id, 2)
  })
  t.match(await late(tenant, media_id, 1), { kind: 'delayed' })
  t.match(second, { kind: 'stored', blob_key: (await fileRow(media_id))?.blob_key })
  t.match(await (await anotherNode(t))(tenant, media_id, 1), { kind: 'delayed' }, 'one that comes late')
  t.match(await (await anotherNode(t))(tenant, media_id, 2), { kind: 'stored' })
  await database.execute(`delete from media_fetch where media_id = '${media_id}'`)
})

t.test('a file that comes while its person is erased is not kept', async (t) => {
  const tenant = await makeTenant(world)
  const bot = await connectBot(tenant)
  await bot.sends('held-erased')
  const { chat_user, message } = await received(tenant, bot, 'pending')
  await eventually('the first half', () => telegram.held.length > 0)
  const { _id } = await made(operator('POST', 'erasures', { kind: 'contact', id: chat_user, confirm: true }))
  await eventually('the erasure', async () => (await operator('GET', `erasures/${_id}`)).body.status === 'done')
  telegram.release()
  await bot.tell({ message: bot.message('photo', 518273641) })
  await received(tenant, bot, 'stored')
  t.equal(await fileRow(message.media_id), undefined)
})

const BLOCKED = [1, 4]

for (const count of BLOCKED) {
  t.test(`${count} channels with ten thousand files each that never come hold up no other one`, async (t) => {
    const tenant = await makeTenant(world)
    // The node would go on asking for them while other files run.
    t.teardown(() => database.execute(`delete from media_fetch where project_id = '${tenant.project_id}'`))
    t.teardown(() => telegram.release())
    for (let n = 0; n < count; n++) {
      const bot = await connectBot(tenant)
      await bot.sends('held')
      const { id } = await received(tenant, bot, 'pending')
      // As if ten thousand had come, some days ago.
      await database.execute(`
        insert into media_fetch (media_id, project_id, channel_id, message_id, chat_user, reference, attempts, next_at, created_at)
        select lpad(to_hex((random() * 1e15)::bigint), 14, '0') || lpad(to_hex(n), 10, '0'), project_id, channel_id, message_id, chat_user, reference, 0,
          next_at - interval '2 days', created_at
        from media_fetch, generate_series(1, 10000) n where message_id = '${id}'`)
      // Their messages: one has them all.
      await database.execute(`
        update message set message = jsonb_set(message::jsonb, '{attachments}', (
          select jsonb_agg(jsonb_build_object('media_id', media_id)) from media_fetch where message_id = '${id}'))
        where id = '${id}'`)
      await bot.sends('held')
    }
    const well = await connectBot(tenant)
    for (let n = 0; n < 3; n++) await well.sends('photo')
    await received(tenant, well, 'stored')
    t.ok(telegram.held.length >= count)
  })
}

t.test('a provider that asks to wait is left alone with all files of the channel', async (t) => {
  const tenant = await makeTenant(world)
  const bot = await connectBot(tenant)
  const late = `late-${bot.channel_id}`
  await bot.sends(late)
  await eventually('it is to wait', async () => {
    const [row] = await database.execute<Json>(`select error from media_fetch where channel_id = '${bot.channel_id}'`)
    return row?.error
  })
  const other = `other-${bot.channel_id}`
  await bot.sends(other)
  await eventually('both are stored', async () => {
    const { data } = (await tenant.api('GET', 'messages?direction=inbound')).body
    return data.length === 2 && data.every(({ message }: Json) => message.media_status === 'stored')
  })
  const [first] = telegram.asked.filter(({ file_id }) => file_id === late)
  const [second] = telegram.asked.filter(({ file_id }) => file_id === other)
  t.ok(second!.at - first!.at >= 3000, 'the other file was not asked for meanwhile')
})
