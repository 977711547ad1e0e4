/** Files of exports and uploads whose row changes at the moment at which their writer ends. */
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { erasurePhases } from '../../storage/data_rights/erasure/phases.ts'
import {
  type BlobStore,
  beginAttempt,
  ExportMoved,
  expireExports,
  exportKey,
  failExport,
  finishExport,
  forgetMedia,
  keepMedia,
  objectId,
  openBlobs,
  removeBlobs,
  removeExport,
  runPhase,
  storeMedia,
} from '../../storage/mod.ts'
import { tempDir, testDatabase } from '../support/mod.ts'
import { storeTenant } from './records.ts'

const { database } = await testDatabase(t)
const blobs = await openBlobs(pathToFileURL(tempDir(t)).href)
const { company, project } = await storeTenant(database)
const stored = { size: 5, sha256: 'x', taken_at: '2026-01-01T00:00:00Z' }

async function newExport(): Promise<string> {
  const _id = objectId()
  await database.execute(
    `insert into data_export (_id, kind, subject_id, company_id, project_id, requested_by)
    values ('${_id}', 'project', '${project._id}', '${company._id}', '${project._id}', 'root')`,
  )
  return _id
}

/** Begins an attempt and stores its file, as a writer does before it ends. */
async function written(_id: string): Promise<{ _id: string; attempt: number }> {
  const attempt = { _id, attempt: await beginAttempt(database, _id) }
  await blobs.put(exportKey(attempt), Readable.from([Buffer.from('bytes')]))
  return attempt
}

async function isThere(store: BlobStore, key: string): Promise<boolean> {
  const found = await store.get(key)
  found?.stream.destroy()
  return found !== undefined
}

const row = async (_id: string) =>
  (await database.execute('select status, blob_key, attempt from data_export where _id = ?', [_id]))[0]

/** The writer's last statement is committed after `change` has looked at the row, and before it changes the row. */
async function atTheEndOf(attempt: { _id: string; attempt: number }, change: () => Promise<unknown>): Promise<void> {
  const session = await database.session()
  try {
    await session.query(`begin;
      update data_export set status = 'done', blob_key = '${exportKey(attempt)}', expires_at = now() + interval '7 days'
      where _id = '${attempt._id}' and attempt = ${attempt.attempt} and status = 'running'`)
    const changing = change()
    for (let waiting = 0; waiting === 0; ) {
      waiting = (await database.execute(WAITING)).length
    }
    await session.query('commit')
    await changing
  } finally {
    await session.end()
  }
}

/** The sessions of this database that wait for a lock. */
const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

t.test('an export that is removed while it ends leaves no file', async (t) => {
  const attempt = await written(await newExport())
  await atTheEndOf(attempt, () => removeExport(database, blobs, attempt._id))
  t.match(await row(attempt._id), { status: 'expired', blob_key: null })
  t.notOk(await isThere(blobs, exportKey(attempt)))
  await t.rejects(removeExport(database, blobs, attempt._id), { code: 'NOT_FOUND' })
})

t.test('an erasure leaves no file of an export that ends at the same moment', async (t) => {
  const attempt = await written(await newExport())
  const phase = erasurePhases.contact.findIndex(({ name }) => name === 'exports')
  const erasure = { _id: objectId(), kind: 'contact' as const, subject_id: 'x', phase }
  const of = { company_id: company._id, project_id: project._id }
  await database.execute(
    `insert into data_erasure (_id, kind, subject_id, company_id, project_id, requested_by, phase)
    values ('${erasure._id}', 'contact', 'x', '${company._id}', '${project._id}', 'root', ${phase})`,
  )
  await atTheEndOf(attempt, () => runPhase(database, blobs, { ...erasure, ...of }))
  t.match(await row(attempt._id), { status: 'expired', blob_key: null })
  t.notOk(await isThere(blobs, exportKey(attempt)))
})

t.test('files of attempts that did not end are found, however late their writer stores them', async (t) => {
  const _id = await newExport()
  const first = await written(_id)
  const second = await written(_id)
  const refused = await finishExport(database, first, stored).catch((error) => error)
  t.ok(refused instanceof ExportMoved)
  await removeBlobs(database, blobs)
  t.notOk(await isThere(blobs, exportKey(first)))
  // The writer of the first attempt was only slow.
  await blobs.put(exportKey(first), Readable.from([Buffer.from('bytes')]))
  await finishExport(database, second, stored)
  await removeBlobs(database, blobs)
  t.same([await isThere(blobs, exportKey(first)), await isThere(blobs, exportKey(second))], [false, true])
  await database.execute(`update data_export set expires_at = now() - interval '1 second' where _id = '${_id}'`)
  await expireExports(database, blobs)
  t.notOk(await isThere(blobs, exportKey(second)))

  const failed = await written(await newExport())
  await failExport(database, failed, 'the disk is full')
  await database.execute(`update blob_removal set until = now() - interval '1 second'`)
  t.ok((await removeBlobs(database, blobs)) > 0)
  t.notOk(await isThere(blobs, exportKey(failed)))
  t.equal(await removeBlobs(database, blobs), 0, 'no key is kept for longer')
})

t.test('bytes of an upload whose row was deleted meanwhile are removed', async (t) => {
  const media_id = objectId()
  const created_at = new Date()
  const upload = {
    ...{ media_id, company_id: company._id, project_id: project._id, channel_id: null },
    ...{ provider_media_id: null, received_media_id: null, is_sent_on: null },
    ...{ mime_type: 'text/plain', file_size: 5, sha256: 'x', filename: null, blob_key: media_id, created_at },
    expires_at: new Date(created_at.getTime() + 3_600_000),
  }
  t.ok(await storeMedia(database, upload))
  await forgetMedia(database, media_id)
  await blobs.put(media_id, Readable.from([Buffer.from('bytes')]))
  t.notOk(await keepMedia(database, media_id, new Date(created_at.getTime() + 86_400_000)))
  await removeBlobs(database, blobs)
  t.notOk(await isThere(blobs, media_id), 'also when the writer died before it could')
  t.notOk(await storeMedia(database, { ...upload, media_id: objectId(), project_id: 'erased' }))
  await database.execute(`update blob_removal set until = now() - interval '1 second'`)
  await removeBlobs(database, blobs)

  t.ok(await storeMedia(database, upload))
  t.ok(await keepMedia(database, media_id, new Date(created_at.getTime() + 86_400_000)))
  await forgetMedia(database, media_id)
  t.same(await database.execute('select 1 from blob_removal'), [], 'a file that is stored leaves no key')
})
