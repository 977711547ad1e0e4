/** One suite for every blob store: files, and a local server that speaks S3. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { type BlobStore, openBlobs } from '../../storage/mod.ts'
import { type Owner, startS3, tempDir } from '../support/mod.ts'

/** `count` returns the number of files or objects in the store, unfinished ones included. */
type Store = { store: BlobStore; count(): number }

async function files(t: Owner): Promise<Store> {
  const directory = tempDir(t)
  const store = await openBlobs(pathToFileURL(directory).href)
  return { store, count: () => filesIn(directory).length }
}

async function s3(t: Owner): Promise<Store> {
  const { url, directory } = await startS3(t)
  const store = await openBlobs(url)
  t.teardown(() => store.close())
  return { store, count: () => filesIn(directory).filter((name) => name.endsWith('_object')).length }
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(directory, name)).isFile(),
  )
}

/** A stream of random bytes in pieces. The stream ends, or fails, after them. */
function pieces(count: number, size: number, error?: Error): { stream: Readable; bytes: () => Buffer } {
  const made: Buffer[] = []
  const stream = Readable.from(
    (async function* () {
      for (let index = 0; index < count; index++) {
        const piece = randomBytes(size)
        made.push(piece)
        yield piece
      }
      if (error) throw error
    })(),
    { objectMode: false },
  )
  return { stream, bytes: () => Buffer.concat(made) }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

for (const [name, open] of Object.entries({ files, s3 })) {
  t.test(`${name}: a check of the store leaves nothing behind`, async (t) => {
    const { store, count } = await open(t)
    await store.check()
    t.equal(count(), 0)
  })

  t.test(`${name}: a stored blob comes back, whole and in parts`, async (t) => {
    const { store } = await open(t)
    const { stream, bytes } = pieces(6, 1024 * 1024 + 7)
    const put = await store.put('media-1', stream)
    t.strictSame(put, { size: bytes().length, sha256: sha256(bytes()) })
    const whole = await store.get('media-1')
    t.equal(whole?.size, put.size)
    t.equal(sha256(await buffer(whole!.stream)), put.sha256)
    const last = put.size - 1
    for (const [start, end] of [
      [7, 7],
      [0, 99],
      [5_000_000, 5_300_000],
      [last, last],
      [last - 10, last],
    ] as const) {
      const part = await store.get('media-1', { start, end })
      t.equal(part?.size, put.size, 'the size is that of the whole')
      t.ok((await buffer(part!.stream)).equals(bytes().subarray(start, end + 1)), `${start}-${end}`)
    }
  })

  t.test(`${name}: an empty blob is a blob too`, async (t) => {
    const { store } = await open(t)
    t.equal((await store.put('empty', Readable.from([]))).size, 0)
    const found = await store.get('empty')
    t.equal(found?.size, 0)
    t.equal((await buffer(found!.stream)).length, 0)
  })

  t.test(`${name}: a key holds the last blob put, and nothing after its removal`, async (t) => {
    const { store, count } = await open(t)
    t.equal(await store.get('one'), undefined)
    await store.put('one', Readable.from([Buffer.from('first')]))
    await store.put('one', Readable.from([Buffer.from('second')]))
    t.equal((await buffer((await store.get('one'))!.stream)).toString(), 'second')
    t.equal(count(), 1)
    await store.remove('one')
    t.equal(await store.get('one'), undefined)
    t.equal(count(), 0)
    await store.remove('one')
  })

  t.test(`${name}: a stream that breaks off leaves nothing, and its error is the answer`, async (t) => {
    const { store, count } = await open(t)
    // The numbers make less than one part of S3, and more.
    for (const many of [2, 6]) {
      const { stream } = pieces(many, 1024 * 1024, new Error('the client left'))
      await t.rejects(store.put('broken', stream), /the client left/)
      t.equal(await store.get('broken'), undefined)
      t.equal(count(), 0)
    }
  })

  t.test(`${name}: a reader that stops ends the read`, async (t) => {
    const { store } = await open(t)
    await store.put('big', pieces(8, 1024 * 1024).stream)
    const found = await store.get('big')
    found!.stream.destroy()
    await once(found!.stream, 'close')
    t.ok(found!.stream.destroyed)
  })

  t.test(`${name}: a store has an id of its own, the same for all who open the store`, async (t) => {
    const [one, other] = [await open(t), await open(t)]
    const identities = await Promise.all([one.store.identity(), one.store.identity()])
    t.equal(identities[0], identities[1])
    t.not(await other.store.identity(), identities[0])
    t.equal(await one.store.identity(), identities[0])
  })

  t.test(`${name}: a key is no path`, async (t) => {
    const { store } = await open(t)
    for (const key of ['', '../x', 'a/b', 'a.b', 'a b', 'x'.repeat(201)]) {
      await t.rejects(store.put(key, Readable.from(['x'])), TypeError, key)
      await t.rejects(store.get(key), TypeError, key)
      await t.rejects(store.remove(key), TypeError, key)
    }
  })
}

t.test('files: half-written files of a dead process go at the next write', async (t) => {
  const directory = tempDir(t)
  const url = pathToFileURL(directory).href
  await (await openBlobs(url)).put('one', Readable.from(['x']))
  const [left, fresh] = ['left', 'fresh'].map((name) => join(directory, 'incoming', name))
  for (const path of [left!, fresh!]) writeFileSync(path, 'half')
  utimesSync(left!, new Date(0), new Date(0))
  await (await openBlobs(url)).put('two', Readable.from(['x']))
  t.strictSame(readdirSync(join(directory, 'incoming')), ['fresh'])
})

t.test('other addresses are no blob stores', async (t) => {
  for (const url of ['http://x/y', 's3://host', 'nothing']) await t.rejects(openBlobs(url), TypeError, url)
})
