/**
 * Writes the archive of an export: `data.ndjson` with one record a line, `media/<id>` with each file that we store, and
 * `manifest.json`. The records are first written to a local file under one snapshot, so that neither a slow store nor a
 * large file prolongs the snapshot. Nothing is held in memory but a page.
 */
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type BlobStore,
  beginAttempt,
  type Database,
  type DataExport,
  type ExportedFile,
  ExportMoved,
  finishExport,
  newDate,
  noteProgress,
  openSnapshot,
  removeLeft,
} from '../../storage/mod.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'

export type ExportPlace = { database: Database; blobs: BlobStore; directory: string }

/** Interval between two notes of the progress. */
const NOTE_MS = 1000
/** A local file without a change for this long was left by a dead node. */
const LEFT_MS = 86_400_000

type Attempt = { _id: string; attempt: number }

/**
 * Writes the export. It is done when this resolves.
 * @param begun called with the number of the attempt
 * @throws {ExportMoved} when another attempt has begun, or the export has ended
 */
export async function writeExport(
  place: ExportPlace,
  row: DataExport,
  signal: AbortSignal,
  begun: (attempt: number) => void,
): Promise<void> {
  const { database, blobs, directory } = place
  const { _id } = row
  const attempt = { _id, attempt: await beginAttempt(database, _id) }
  begun(attempt.attempt)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await removeLeft(directory, LEFT_MS)
  const name = randomBytes(12).toString('hex')
  const [records, files] = [join(directory, `${name}.ndjson`), join(directory, `${name}.files`)]
  const blob_key = `export_${_id}_${attempt.attempt}`
  try {
    const { taken_at, counts } = await spool(place, row, attempt, { records, files }, signal)
    await noteProgress(database, attempt, { step: 'packing', counts })
    const manifest = { ...manifestOf(row), snapshot_at: taken_at, counts }
    const archive = Readable.from(pack(blobs, { records, files, manifest }), { objectMode: false })
    signal.addEventListener('abort', () => archive.destroy(new ExportMoved()), { once: true })
    const stored = await blobs.put(blob_key, archive)
    await finishExport(database, attempt, { blob_key, ...stored, taken_at }).catch(async (error) => {
      await blobs.remove(blob_key)
      throw error
    })
  } finally {
    for (const path of [records, files]) await rm(path, { force: true })
  }
}

function manifestOf({ _id, kind, subject_id, company_id, project_id }: DataExport) {
  return { format: 'parley-export-1', export_id: _id, kind, subject_id, company_id, project_id: project_id ?? null }
}

/** Writes the records and the list of files under one snapshot. */
async function spool(
  { database }: ExportPlace,
  { kind, subject_id, company_id, project_id = null }: DataExport,
  attempt: Attempt,
  paths: { records: string; files: string },
  signal: AbortSignal,
): Promise<{ taken_at: string; counts: Record<string, number> }> {
  const counts: Record<string, number> = {}
  const snapshot = await openSnapshot(database, { kind, subject_id, company_id, project_id })
  try {
    let noted_at = performance.now()
    async function* lines() {
      for await (const { type, count, text } of snapshot.pages()) {
        counts[type] = (counts[type] ?? 0) + count
        yield text
        if (performance.now() - noted_at < NOTE_MS) continue
        noted_at = performance.now()
        await noteProgress(database, attempt, { step: `reading ${type}`, counts })
      }
    }
    async function* names() {
      for await (const page of snapshot.files()) yield page.map((file) => `${JSON.stringify(file)}\n`).join('')
    }
    const write = (path: string) => createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await pipeline(Readable.from(lines()), write(paths.records), { signal })
    await pipeline(Readable.from(names()), write(paths.files), { signal })
    return { taken_at: snapshot.taken_at, counts }
  } finally {
    await snapshot.close()
  }
}

/** The bytes of the archive. A file that was removed since the snapshot is left out. */
async function* pack(
  blobs: BlobStore,
  { records, files, manifest }: { records: string; files: string; manifest: object },
): AsyncGenerator<Buffer> {
  const now = newDate()
  const { size } = await stat(records)
  yield tarHeader('data.ndjson', size, now)
  yield* createReadStream(records)
  yield tarPadding(size)
  let stored = 0
  for await (const line of createInterface({ input: createReadStream(files) })) {
    const { media_id, blob_key }: ExportedFile = JSON.parse(line)
    const blob = await blobs.get(blob_key)
    if (!blob) continue
    yield tarHeader(`media/${media_id}`, blob.size, now)
    yield* blob.stream
    yield tarPadding(blob.size)
    stored++
  }
  const text = Buffer.from(`${JSON.stringify({ ...manifest, files: stored }, null, 2)}\n`)
  yield tarHeader('manifest.json', text.length, now)
  yield text
  yield tarPadding(text.length)
  yield tarEnd()
}
