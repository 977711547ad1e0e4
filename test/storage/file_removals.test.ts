/** A file that cannot be removed holds no other up, and is tried again at the next pass. */
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { tidyFiles } from '../../http/media/tidy.ts'
import { type BlobStore, objectId, openBlobs, storeMedia } from '../../storage/mod.ts'
import { tempDir, testDatabase } from '../support/mod.ts'
import { storeTenant } from './records.ts'

t.test('a file that cannot be removed stays, and hundreds behind it go', async (t) => {
  const { database } = await testDatabase(t)
  const directory = tempDir(t)
  const blobs = await openBlobs(pathToFileURL(join(directory, 'blobs')).href)
  t.teardown(() => blobs.close())
  const { company, project } = await storeTenant(database)
  const ids = Array.from({ length: 450 }, () => objectId())
  const stuck = new Set([...ids.slice(0, 50), ids[305]])
  for (const [at, media_id] of ids.entries()) {
    await storeMedia(database, {
      ...{ media_id, company_id: company._id, project_id: project._id, channel_id: null },
      ...{ provider_media_id: null, received_media_id: null, is_sent_on: null },
      ...{ mime_type: 'text/plain', file_size: 5, sha256: 'x', filename: null, blob_key: media_id },
      created_at: new Date(Date.now() - 90_000_000),
      // Three hundred expire at one moment.
      expires_at: new Date(Date.now() - 3_600_000 + Math.max(0, at - 300)),
    })
  }
  await blobs.put(ids[449]!, Readable.from([Buffer.from('bytes')]))
  let refuses = true
  const refusing: BlobStore = Object.assign(Object.create(blobs), {
    remove: async (key: string) => {
      if (refuses && stuck.has(key)) throw new Error(`EACCES: ${key}`)
      await blobs.remove(key)
    },
  })
  const places = { uploads_directory: directory, exports_directory: directory }
  const left = async () => (await database.execute('select media_id from media')).map(({ media_id }) => media_id).sort()
  await t.rejects(tidyFiles(database, refusing, places), { message: /^51 files could not be removed: EACCES/ })
  t.strictSame(await left(), [...stuck].sort())
  t.notOk(await blobs.get(ids[449]!), 'with its bytes')
  refuses = false
  await tidyFiles(database, refusing, places)
  t.strictSame(await left(), [])
})

t.test('a store that is away is not asked for every file', async (t) => {
  const { database } = await testDatabase(t)
  const keys = Array.from({ length: 300 }, (_, at) => `('key${at}', now() + interval '1 day')`)
  await database.execute(`insert into blob_removal (key, until) values ${keys}`)
  let asked = 0
  const away = { remove: () => Promise.reject(new Error(`away ${++asked}`)) } as unknown as BlobStore
  const directory = tempDir(t)
  const places = { uploads_directory: directory, exports_directory: directory }
  await t.rejects(tidyFiles(database, away, places), { message: '20 files could not be removed: away 1' })
  t.equal(asked, 21, 'the last one is no file')
})
