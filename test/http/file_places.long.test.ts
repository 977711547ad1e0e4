import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { FilePlaces } from '../../http/media/file_places.ts'
import { silentLog } from '../../runtime/mod.ts'
import { openBlobs } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { startWorld } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'
import { makeKeptTenant, upload } from './media_client.ts'

t.test('a place that cannot be written is logged once with the reason, and a warning until it can', async (t) => {
  const said: unknown[][] = []
  const note = (level: string) => (fields: { error?: unknown }, text: string) =>
    void said.push([level, text, (fields.error as NodeJS.ErrnoException)?.code])
  const log = { ...silentLog, error: note('error'), info: note('info') }
  const data_dir = join(tempDir(t), 'data')
  const store = join(tempDir(t), 'store')
  writeFileSync(data_dir, '')
  writeFileSync(store, '')
  const places = new FilePlaces({ data_dir, blobs: await openBlobs(pathToFileURL(store).href), log })
  await places.check()
  await places.check()
  t.strictSame(said.splice(0), [
    ['error', 'the data directory cannot be written', 'ENOTDIR'],
    ['error', 'the store of uploaded files cannot be written', 'ENOTDIR'],
  ])
  t.match(places.warnings, [
    /^The data directory of this node cannot be written \(ENOTDIR\), /,
    /^The store of uploaded files of this node cannot be written \(ENOTDIR\), /,
  ])
  t.notMatch(places.warnings.join(), data_dir, 'a public page names no path')
  rmSync(data_dir)
  mkdirSync(data_dir)
  await places.check()
  t.strictSame(said, [['info', 'the data directory can be written again', undefined]])
  t.equal(places.warnings.length, 1)
})

t.test('a node that cannot keep files says so, serves on, and logs the reason of an upload that fails', async (t) => {
  const said: { text: string; code: unknown; operation: unknown }[] = []
  const error = (fields: { error?: unknown; operation?: unknown }, text: string) =>
    void said.push({ text, code: (fields.error as NodeJS.ErrnoException)?.code, operation: fields.operation })
  // The log is of this file alone, and so is the data directory.
  const world = await startWorld(t, { log: { ...silentLog, error }, config: { blob_url: 'file:///proc/nope' } })
  const ready = await eventually('it is a warning', async () => {
    const answer = await world.http('GET', `${world.base_url}/ready`)
    // A node on a busy machine may be without its lease for a moment.
    return answer.status === 200 && answer.body.warnings && answer
  })
  t.equal(ready.status, 200)
  t.match(ready.body.warnings, [/^The store of uploaded files of this node cannot be written \(ENOENT\), /])
  t.match(said.splice(0), [{ text: 'the store of uploaded files cannot be written', code: 'ENOENT' }])
  const tenant = await makeKeptTenant(world)
  const file = Buffer.from('some text')
  t.equal((await upload(tenant, file)).status, 503)
  const uploads = join(world.config.data_dir, 'uploads')
  rmSync(uploads, { recursive: true })
  writeFileSync(uploads, '')
  t.equal((await upload(tenant, file)).status, 503)
  t.match(said, [
    { text: 'a file could not be written or read', code: 'ENOENT', operation: 'upload_media' },
    { text: 'a file could not be written or read', code: /^(EEXIST|ENOTDIR)$/, operation: 'upload_media' },
  ])
})
