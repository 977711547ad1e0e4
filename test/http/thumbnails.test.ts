/** Small versions of pictures: of all files that have a row, made once, in bounds that no picture exceeds. */
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import t from 'tap'
import { Thumbnails } from '../../http/media/thumbnails.ts'
import { blank, Media, newDate, objectId, openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, makeTenant, type Tenant } from '../e2e/fixture.ts'
import { TEST_SECRET } from '../support/mod.ts'

const world = await joinWorld(t)
const { base_url, config } = world
const database = await openDatabase({ url: config.database_url!, secret: TEST_SECRET, pool_size: 2 })
t.teardown(() => database.close())
// The library that makes the inputs sets it.
t.teardown(() => delete process.env.VIPSHOME)
const tenant = await makeTenant(world)

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' }, limitInputPixels: false })

async function upload(bytes: Buffer, filename: string, fields: Json = { purpose: 'note' }): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), filename)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const headers = { authorization: `Bearer ${tenant.token}` }
  const answer = await fetch(`${base_url}/v1/media/upload`, { method: 'POST', headers, body: form })
  if (answer.status !== 200) throw new Error(await answer.text())
  return ((await answer.json()) as Json).media_id
}

async function thumbnail(media_id: string, { of = tenant, headers = {} }: { of?: Tenant; headers?: Json } = {}) {
  const query = `phone_number_id=${tenant.number.phone_number_id}`
  const answer = await fetch(`${base_url}/v1/media/${media_id}/thumbnail?${query}`, {
    headers: { authorization: `Bearer ${of.token}`, ...headers },
  })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

const kept = (media_id: string) =>
  database.execute<Json>(`select failure, octet_length(bytes) as size from media_thumbnail where media_id = ?`, [
    media_id,
  ])

const large = await plain(2000, 1000).png().toBuffer()

/** A PNG whose header says that it has more pixels than it has. */
function resized(png: Buffer, edge: number): Buffer {
  const bytes = Buffer.from(png)
  // The header follows the signature and its own length: width, height, five bytes of format, and the sum of all these.
  bytes.writeUInt32BE(edge, 16)
  bytes.writeUInt32BE(edge, 20)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return bytes
}

/** A wrong sum at the end of the pixels, which browsers overlook. */
function corrupt(png: Buffer): Buffer {
  const bytes = Buffer.from(png)
  bytes[bytes.length - 13]! ^= 1
  return bytes
}

const PICTURES: Record<string, [bytes: Buffer, width: number, height: number]> = {
  'a large PNG': [large, 640, 320],
  'a small JPEG': [await plain(50, 40).jpeg().toBuffer(), 50, 40],
  'a picture that the camera turned': [
    await plain(1000, 500).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
    320,
    640,
  ],
  'a WebP': [await plain(700, 700).webp().toBuffer(), 640, 640],
  'a PNG with a wrong sum': [corrupt(large), 640, 320],
  'a GIF': [await plain(30, 30).gif().toBuffer(), 30, 30],
  'a progressive JPEG of 39 million pixels': [await plain(6500, 6000).jpeg({ progressive: true }).toBuffer(), 640, 591],
}
for (const [name, [bytes, width, height]] of Object.entries(PICTURES)) {
  t.test(`${name} has a small version`, async (t) => {
    const media_id = await upload(bytes, 'picture')
    const answer = await thumbnail(media_id)
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('content-type'), 'image/webp')
    t.equal(answer.headers.get('cache-control'), 'private, no-cache')
    t.match(await sharp(answer.bytes).metadata(), { format: 'webp', width, height })
    const etag = answer.headers.get('etag')!
    t.equal((await thumbnail(media_id, { headers: { 'if-none-match': etag } })).status, 304)
    const part = await thumbnail(media_id, { headers: { range: 'bytes=0-3' } })
    t.match({ status: part.status, text: part.bytes.toString() }, { status: 206, text: 'RIFF' })
    const path = `media/${media_id}/thumbnail?phone_number_id=${tenant.number.phone_number_id}`
    const beyond = await tenant.api('GET', path, undefined, { headers: { range: 'bytes=9999999-' } })
    t.match(beyond, { status: 416, body: { error: { code: 'RANGE_NOT_SATISFIABLE' } } })
  })
}

const MIB = 1024 * 1024
const WITHOUT: Record<string, [bytes: Buffer, message: RegExp]> = {
  'a picture of 20,000 by 20,000 pixels': [resized(large, 20_000), /40 million/],
  'a text': [Buffer.from('plain words'), /text\/plain/],
  'a program in the clothes of a picture': [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    /./,
  ],
  'a picture that breaks off in its header': [
    (await plain(30, 20).jpeg().toBuffer()).subarray(0, 100),
    /cannot be read/,
  ],
  'a picture of 33 MiB': [Buffer.concat([large, Buffer.alloc(33 * MIB)]), /bytes/],
}
for (const [name, [bytes, message]] of Object.entries(WITHOUT)) {
  t.test(`${name} has none, and says why each time`, async (t) => {
    const media_id = await upload(bytes, 'picture.png')
    for (let n = 0; n < 2; n++) {
      const answer = await thumbnail(media_id)
      t.equal(answer.status, 422)
      t.match(JSON.parse(answer.bytes.toString()).error, { code: 'MEDIA_NOT_ACCEPTED', message })
    }
  })
}

t.test('it is made once, and goes with its file', async (t) => {
  const media_id = await upload(large, 'picture.png')
  const answers = await Promise.all([1, 2, 3].map(() => thumbnail(media_id)))
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  t.match(await kept(media_id), [{ failure: null, size: answers[0]!.bytes.length }])
  const other = await makeTenant(world)
  t.equal((await thumbnail(media_id, { of: other })).status, 404)
  t.equal((await tenant.api('DELETE', `media/${media_id}?phone_number_id=none`)).status, 204)
  t.equal((await thumbnail(media_id)).status, 404)
  t.same(await kept(media_id), [])
})

t.test('pictures that WhatsApp stores, and those of people, have one', async (t) => {
  const { phone_number_id } = tenant.number
  const uploaded = await upload(large, 'picture.png', { phone_number_id: String(phone_number_id) })
  t.equal((await thumbnail(uploaded)).status, 200)
  await tenant.writes('+15551234567', {
    type: 'image',
    image: { mime_type: 'image/png', data: large.toString('base64') },
  })
  const { media_id } = await eventually('the picture', async () => {
    const [row] = (await tenant.api('GET', 'messages?direction=inbound')).body.data
    return row?.message.media_status === 'stored' && row.message
  })
  t.match(await sharp((await thumbnail(media_id)).bytes).metadata(), { width: 640, height: 320 })
})

t.test(
  'the pictures of one company, in however many projects, leave a place to another, and a line has an end',
  async (t) => {
    const thumbnails = new Thumbnails()
    const opened: string[] = []
    const gate = Promise.withResolvers<void>()
    const rowOf = (company_id: string) =>
      blank(Media, {
        ...{
          media_id: objectId(),
          company_id,
          project_id: objectId(),
          mime_type: 'image/png',
          file_size: 1,
          sha256: 'x',
        },
        ...{ created_at: newDate(), expires_at: newDate() },
      })
    const ask = (company_id: string) =>
      thumbnails.of(database, rowOf(company_id), async () => {
        opened.push(company_id)
        await gate.promise
        if (company_id === 'busy') throw new Error('the file is gone')
        return Readable.from([large])
      })
    const busy = Array.from({ length: 102 }, () =>
      ask('busy').then(
        ({ length }) => length,
        ({ name }) => name,
      ),
    )
    const other = ask('other')
    await eventually('both have a place', () => opened.length === 2)
    t.same(opened.toSorted(), ['busy', 'other'])
    t.equal(await Promise.any(busy), 'Unavailable', 'one more than may wait')
    gate.resolve()
    t.ok((await other).length > 0)
    t.equal((await Promise.all(busy)).filter((name) => name === 'Unavailable').length, 1)
  },
)
