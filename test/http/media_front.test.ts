/** Uploads at the server alone, without the rest of Parley. */
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { MediaProviders, mediaLink } from '../../actors/mod.ts'
import { FileRoom } from '../../http/media/file_room.ts'
import { Thumbnails } from '../../http/media/thumbnails.ts'
import { type Database, openBlobs } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { type Owner, startS3, tempDir } from '../support/mod.ts'
import { files } from './media_files.ts'
import { type ServerOptions, startTestServer } from './test_server.ts'

async function start(t: Owner, options: ServerOptions & { blob_url?: string } = {}) {
  const directory = tempDir(t)
  const uploads_directory = join(directory, 'uploads')
  const blobs = await openBlobs(options.blob_url ?? `file://${directory}/blobs`)
  const providers = new MediaProviders()
  t.teardown(() => Promise.all([blobs.close(), providers.close()]))
  const hooks = (database: Database) => {
    const room = new FileRoom(database, { files: 1000, bytes: 1024 ** 3 })
    return { media: { blobs, room, providers, uploads_directory, thumbnails: new Thumbnails() } }
  }
  const server = await startTestServer(t, { ...options, hooks })
  const uploads = () => (existsSync(uploads_directory) ? readdirSync(uploads_directory) : [])
  return { ...server, uploads }
}

const TYPE = { 'content-type': 'multipart/form-data; boundary=x' }
const part = (bytes: Buffer) =>
  Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
    bytes,
    Buffer.from('\r\n--x--\r\n'),
  ])

t.test('a silent client gets an error, and leaves nothing', async (t) => {
  const { port, tenant, uploads } = await start(t, { config: { body_timeout_ms: 100 } })
  const socket = connect(port, '127.0.0.1')
  const said = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
  socket.write(
    `POST /v1/media/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.secret}\r\n` +
      `Content-Type: ${TYPE['content-type']}\r\nContent-Length: 100000\r\n\r\n`,
  )
  socket.write(part(files.jpeg).subarray(0, 300))
  t.match(await said, /^HTTP\/1.1 408 .*REQUEST_TIMEOUT/s)
  await eventually('the file is gone', () => uploads().length === 0)
})

t.test('the body arrives in any pieces', async (t) => {
  const { call, uploads } = await start(t)
  const whole = part(files.png)
  for (const size of [1, 7, 60, whole.length]) {
    const raw = (async function* () {
      for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
    })()
    const answer = await call('/v1/media/upload', { method: 'POST', raw, headers: TYPE })
    t.match(answer, { status: 200, body: { mime_type: 'image/png', file_size: files.png.length } }, `pieces of ${size}`)
  }
  await eventually('no temporary file is left', () => uploads().length === 0)
})

t.test('files can be stored in a bucket', async (t) => {
  const { url, directory } = await startS3(t)
  const { call, tenant, database } = await start(t, { blob_url: url })
  const sent = await call('/v1/media/upload', { method: 'POST', raw: part(files.pdf), headers: TYPE })
  t.equal(sent.status, 200)
  const path = `/v1/media/${sent.body.media_id}`
  const objects = () =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('_object'))
  t.equal(objects().length, 1)
  const query = '?phone_number_id=any'
  const part_of = await call(`${path}/download${query}`, { headers: { range: 'bytes=1-3' } })
  t.match(part_of, { status: 206, text: 'PDF', headers: { 'content-range': `bytes 1-3/${files.pdf.length}` } })
  t.equal((await call(path + query, { method: 'DELETE' })).status, 204)
  t.equal(objects().length, 0)
  t.strictSame(await database.execute('select * from media where project_id = ?', [tenant.project._id]), [])
})

t.test('an unreachable bucket fails the request, and an upload already begun ends by itself', async (t) => {
  const { call, tenant, database, uploads } = await start(t, {
    blob_url: 's3://k:s@127.0.0.1/media?endpoint=http://127.0.0.1:1',
  })
  const sent = await call('/v1/media/upload', { method: 'POST', raw: part(files.pdf), headers: TYPE })
  t.equal(sent.status, 503)
  await eventually('the temporary file is gone', () => uploads().length === 0)
  const [row] = await database.execute<{ soon: boolean }>(
    `select expires_at < now() + interval '61 minutes' as soon from media where project_id = ?`,
    [tenant.project._id],
  )
  t.strictSame(row, { soon: true })
})

t.test('a client that makes up links is refused after some, and real links go on working', async (t) => {
  const { call, database } = await start(t, { config: { address_people: 10 } })
  const sent = await call('/v1/media/upload', { method: 'POST', raw: part(files.pdf), headers: TYPE })
  const { media_id } = sent.body
  const link = mediaLink('', database.vault, { media_id }, new Date())
  const forged = link.replace(/[\w-]{43}$/, 'A'.repeat(43))
  const get = async (path: string) => (await call(path, { token: null })).status
  const statuses = []
  for (let n = 0; n < 17; n++) statuses.push(await get(forged))
  t.strictSame(statuses, [...Array(15).fill(404), 429, 429])
  t.equal(await get(link), 200)
})
