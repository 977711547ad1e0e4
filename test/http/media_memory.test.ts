/**
 * The largest files pass through a node in a process of its own, which must not grow with them. Memory as Linux counts
 * it.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { sleep } from '../e2e/client.ts'
import { makeTenant, type Tenant } from '../e2e/fixture.ts'
import { startKillable } from '../e2e/killable.ts'

const MIB = 1024 * 1024
const SIZE = 100 * MIB
const PIECE = Buffer.alloc(MIB / 4)
for (let index = 0; index < PIECE.length; index++) PIECE[index] = (index * 31) % 251

/**
 * MiB that a node may grow by: 64 of buffers that are garbage, after which V8 collects them, and those in flight. A file
 * that is held counts 100 at least.
 */
const MOST_GROWTH = 80
/** On a busy machine threads and steps of the collector would get no time, and garbage would grow beyond that. */
const COLLECTING = ['--single-threaded-gc', '--no-incremental-marking']

t.test('100 MiB pass through and are never held', async (t) => {
  const world = await startKillable(t, { flags: COLLECTING })
  const child = world.process()
  const tenant = await makeTenant(world)
  const kept = await makeTenant(world)
  await world.operator('PATCH', `channels/${kept.number.channel_id}`, { is_active: false })

  const memory = (name: 'VmRSS' | 'VmHWM') =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024
  /** Returns the most that the node grew by during `work`. */
  const growth = async (work: () => Promise<void>) => {
    writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
    const before = memory('VmRSS')
    await work()
    return memory('VmHWM') - before
  }

  let media_id = ''
  const uploads = async (to: Tenant, size: number) => {
    const { body, sha256 } = formOf(size)
    const answer = await to.api('POST', 'media/upload', undefined, {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      raw: body as never,
    })
    t.strictSame([answer.status, answer.body.file_size], [200, size])
    t.equal(answer.body.sha256, sha256())
    media_id = answer.body.media_id
  }
  const downloads = async (from: Tenant, slow: boolean) => {
    const path = `/v1/media/${media_id}/download?phone_number_id=${from.number.phone_number_id}`
    t.equal(await download(world.config.port, path, from.token, slow), formOf(SIZE).whole())
  }
  // The first uploads compile code and fill pools, and many bytes pass before the collector frees any buffer.
  for (const one of [tenant, kept]) await uploads(one, 32 * MIB)

  const steps: [string, () => Promise<void>][] = [
    ['up to WhatsApp', () => uploads(tenant, SIZE)],
    ['down from WhatsApp', () => downloads(tenant, false)],
    ['down from WhatsApp, to who reads slowly', () => downloads(tenant, true)],
    ['up to the blob store', () => uploads(kept, SIZE)],
    ['down from the blob store', () => downloads(kept, false)],
    ['down from the blob store, to who reads slowly', () => downloads(kept, true)],
  ]
  for (const [what, work] of steps) {
    const grown = await growth(work)
    t.ok(grown < MOST_GROWTH, `${what}: grew by ${grown.toFixed(1)} MiB`)
  }
  t.equal(await child.end('SIGTERM'), 0, child.said())
})

/** Returns the form of a PDF of that size, made while it is sent. */
function formOf(size: number) {
  const head = Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n')
  const hash = createHash('sha256')
  function* file() {
    const first = Buffer.from(PIECE)
    first.write('%PDF-1.4\n')
    for (let at = 0; at < size; at += PIECE.length) yield at === 0 ? first : PIECE
  }
  async function* body() {
    yield head
    for (const piece of file()) {
      hash.update(piece)
      yield piece
    }
    yield Buffer.from('\r\n--x--\r\n')
  }
  const whole = () => {
    for (const piece of file()) hash.update(piece)
    return hash.digest('hex')
  }
  return { body: body(), sha256: () => hash.digest('hex'), whole }
}

/** Resolves to the hash of the body. A slow reader lets the socket fill up again and again. */
async function download(port: number, path: string, token: string, slow: boolean): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  const hash = createHash('sha256')
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
    hash.update(piece)
    left -= piece.length
    since_pause += piece.length
    if (left <= 0) break
    if (slow && since_pause > 2 * MIB) {
      since_pause = 0
      await sleep(20)
    }
  }
  socket.destroy()
  return hash.digest('hex')
}
