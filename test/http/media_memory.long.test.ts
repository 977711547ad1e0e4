/**
 * The largest files pass through a node in a process of its own, which must not grow with them. Memory as Linux counts
 * it.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { signCall } from '../../actors/mod.ts'
import { eventually, type Json, sleep } from '../e2e/client.ts'
import { made, makeTenant, type Tenant } from '../e2e/fixture.ts'
import { type Killable, startKillable } from '../e2e/killable.ts'

const MIB = 1024 * 1024
const SIZE = 100 * MIB
const PIECE = Buffer.alloc(MIB / 4)
for (let index = 0; index < PIECE.length; index++) PIECE[index] = (index * 31) % 251

/** The size of the files that compile the code and fill the pools before the node is weighed. */
const SMALL = 4 * MIB
/** MiB that a node may grow by: buffers in flight, and garbage. A file that is held counts 100. */
const MAX_GROWTH = 50
/**
 * V8 lets 64 MiB of buffers become garbage, and more on a busy machine, where its own threads get no time. Here the
 * thread that makes the garbage collects 16 MiB of it.
 */
const COLLECT = `
  let live = 0
  const collect = () => {
    if (process.memoryUsage().arrayBuffers < live + ${16 * MIB}) return
    gc()
    live = process.memoryUsage().arrayBuffers
  }
  setInterval(collect, 10).unref()`
const COLLECTING = [
  '--single-threaded-gc',
  '--no-incremental-marking',
  '--max-semi-space-size=1',
  '--expose-gc',
  `--import=data:text/javascript,${encodeURIComponent(COLLECT)}`,
]

/** The allocator gives freed buffers back at once, where it is the one of glibc. */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_ARENA_MAX: '1' }

t.test('100 MiB pass through and are never held', async (t) => {
  const world = await startKillable(t, { flags: COLLECTING, env: () => ALLOCATOR })
  const child = world.process()
  const tenant = await makeTenant(world)
  const kept = await makeTenant(world)
  await world.operator('PATCH', `channels/${kept.number.channel_id}`, { is_active: false })

  const memory = (name: 'VmRSS' | 'VmHWM') =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024
  /** Resolves to the most memory that the node had during `work`. */
  const peak = async (work: () => Promise<void>) => {
    writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
    await work()
    return memory('VmHWM')
  }

  let media_id = ''
  const uploads = async (to: Tenant, size: number) => {
    const answer = await to.api('POST', 'media/upload', undefined, {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      raw: formOf(size) as never,
    })
    t.strictSame([answer.status, answer.body.file_size], [200, size])
    t.equal(answer.body.sha256, hashOf(size))
    media_id = answer.body.media_id
  }
  const downloads = async (from: Tenant, size: number, slow = false) => {
    const path = `/v1/media/${media_id}/download?phone_number_id=${from.number.phone_number_id}`
    t.equal(await download(world.config.port, path, from.token, slow), size)
  }
  const mail = await mailsTo(t, world, kept)
  const steps: [string, (size: number) => Promise<void>][] = [
    ['up to WhatsApp', (size) => uploads(tenant, size)],
    ['down from WhatsApp', (size) => downloads(tenant, size)],
    ['down from WhatsApp, to who reads slowly', (size) => downloads(tenant, size, true)],
    ['up to the blob store', (size) => uploads(kept, size)],
    ['down from the blob store', (size) => downloads(kept, size)],
    ['down from the blob store, to who reads slowly', (size) => downloads(kept, size, true)],
    ['from an address in an e-mail', mail],
  ]
  for (const [, work] of steps) await work(SMALL)
  // The same for all steps: memory that one has freed does not hide what the next one holds.
  const before = memory('VmRSS')
  for (const [what, work] of steps) {
    const grown = (await peak(() => work(SIZE))) - before
    t.ok(grown < MAX_GROWTH, `${what}: grew by ${grown.toFixed(1)} MiB`)
  }
  t.equal(await child.end('SIGTERM'), 0, child.said())
})

const SECRET = 'the word of the hook of e-mails'

/** Returns a function that sends an e-mail with a file of that size, and resolves when the file is stored. */
async function mailsTo(t: Test, { operator, http, base_url }: Killable, { project_id, api }: Tenant) {
  const credentials = { smtp_url: 'smtp://nobody:nothing@127.0.0.1:9', from: 'a@example.com', inbound_secret: SECRET }
  const fields = { project_id, channel_type: 'email', provider: 'cloud', name: 'Mail', credentials }
  const channel = await made(operator('POST', 'channels', fields))
  const server = createServer(({ url = '' }, response) => {
    Readable.from(file(Number(url.slice(1)))).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return async (size: number) => {
    const attachments = [
      { filename: 'a.pdf', mime_type: 'application/pdf', size, url: `http://127.0.0.1:${port}/${size}` },
    ]
    const from = { address: 'ana@example.com' }
    const raw = JSON.stringify({
      message_id: `<${size}@example.com>`,
      from,
      subject: 'Plan',
      text: 'See it',
      attachments,
    })
    const headers = { 'x-parley-signature': signCall(SECRET, raw, new Date()) }
    const { status } = await http('POST', `${base_url}/providers/email/${channel._id}`, { raw, headers })
    t.equal(status, 200)
    const stored = await eventually('the file of the e-mail', async () => {
      const { data } = (await api('GET', 'messages?direction=inbound&channel=email')).body
      const found = data.flatMap(({ message }: Json) => message.attachments)
      return found.find((one: Json) => one.size === size && one.media_status === 'stored')
    })
    t.equal(stored.sha256, hashOf(size))
  }
}

const FIRST = Buffer.from(PIECE)
FIRST.write('%PDF-1.4\n')

/** Makes a PDF of that size, piece by piece. */
function* file(size: number) {
  for (let at = 0; at < size; at += PIECE.length) yield at === 0 ? FIRST : PIECE
}

/** Makes the form with the PDF while it is sent. */
async function* formOf(size: number) {
  yield Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n')
  yield* file(size)
  yield Buffer.from('\r\n--x--\r\n')
}

const hashes = new Map<number, string>()

function hashOf(size: number): string {
  let known = hashes.get(size)
  if (known) return known
  const hash = createHash('sha256')
  for (const piece of file(size)) hash.update(piece)
  known = hash.digest('hex')
  hashes.set(size, known)
  return known
}

/** Returns how many bytes of `chunk` are those of the file from `at` on. */
function sameBytes(chunk: Buffer, at: number): number {
  for (let done = 0; done < chunk.length; ) {
    const piece = at + done < PIECE.length ? FIRST : PIECE
    const from = (at + done) % PIECE.length
    const length = Math.min(piece.length - from, chunk.length - done)
    if (chunk.compare(piece, from, from + length, done, done + length) !== 0) return done
    done += length
  }
  return chunk.length
}

/**
 * Resolves to the number of bytes that came, all of them those of the file: the first other one ends the reading. A slow
 * reader lets the socket fill up again and again.
 */
async function download(port: number, path: string, token: string, slow: boolean): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  let same = 0
  let head: Buffer | undefined = Buffer.alloc(0)
  let left = 0
  let since_pause = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    let piece = chunk
    if (head) {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) continue
      left = Number(/content-length: (\d+)/i.exec(head.toString('latin1', 0, end))![1])
      piece = head.subarray(end + 4)
      head = undefined
    }
    const found = sameBytes(piece, same)
    same += found
    if (found < piece.length) break
    left -= piece.length
    since_pause += piece.length
    if (left <= 0) break
    if (slow && since_pause > 2 * MIB) {
      since_pause = 0
      await sleep(20)
    }
  }
  socket.destroy()
  return same
}
