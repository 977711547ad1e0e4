/**
 * Writes the archive of an export: `data.ndjson` with one record a line, `media/<id>` with each file that we store, and
 * `manifest.json`. The records are first written to a local file under one snapshot, so that neither a slow store nor a
 * large file prolongs the snapshot. Nothing is held in memory but a page.
 */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import {
  type BlobStore,
  beginAttempt,
  type Database,
  type DataExport,
  type ExportAttempt,
  type ExportedFile,
  ExportMoved,
  exportKey,
  finishExport,
  newDate,
  noteProgress,
  openSnapshot,
} from '../../storage/mod.ts'
import { Spool } from './spool.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'

/** `directory`: of local files. */
export type ExportPlace = { database: Database; blobs: BlobStore; directory: string }

/** Interval between two notes of the progress. An attempt that is not wanted any more ends at the next one. */
const NOTE_MS = 1000

type Spools = { records: Spool; files: Spool }

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
  // An attempt before this one may have stored its file, and died before it could say so.
  if (attempt.attempt > 1) await blobs.remove(exportKey({ _id, attempt: attempt.attempt - 1 }))
  const spools = { records: await Spool.open(directory), files: await Spool.open(directory) }
  try {
    const { taken_at, counts } = await spool(place, row, attempt, spools, signal)
    const manifest = { ...manifestOf(row), snapshot_at: taken_at, counts }
    const note = () => noteProgress(database, attempt, { step: 'packing', counts })
    await note()
    signal.throwIfAborted()
    const archive = Readable.from(noting(pack(blobs, spools, manifest), note), { objectMode: false })
    signal.addEventListener('abort', () => archive.destroy(new ExportMoved()), { once: true })
    const stored = await blobs.put(exportKey(attempt), archive)
    await finishExport(database, attempt, { ...stored, taken_at }).catch(async (error) => {
      // After any other error the export may be done. If it is not, the next attempt removes the file.
      if (error instanceof ExportMoved) await blobs.remove(exportKey(attempt))
      throw error
    })
  } finally {
    for (const one of Object.values(spools)) await one.close()
  }
}

function manifestOf({ _id, kind, subject_id, company_id, project_id }: DataExport) {
  return { format: 'parley-export-1', export_id: _id, kind, subject_id, company_id, project_id: project_id ?? null }
}

/** Passes pieces on, and calls `note` from time to time. */
async function* noting<Piece>(pieces: AsyncIterable<Piece>, note: () => Promise<void>): AsyncGenerator<Piece> {
  let noted_at = performance.now()
  for await (const piece of pieces) {
    yield piece
    if (performance.now() - noted_at < NOTE_MS) continue
    noted_at = performance.now()
    await note()
  }
}

/** Writes the records and the list of files under one snapshot. */
async function spool(
  { database }: ExportPlace,
  { kind, subject_id, company_id, project_id = null }: DataExport,
  attempt: ExportAttempt,
  { records, files }: Spools,
  signal: AbortSignal,
): Promise<{ taken_at: string; counts: Record<string, number> }> {
  const counts: Record<string, number> = {}
  const snapshot = await openSnapshot(database, { kind, subject_id, company_id, project_id })
  try {
    let step = 'reading'
    async function* lines() {
      for await (const { type, count, text } of snapshot.pages()) {
        step = `reading ${type}`
        counts[type] = (counts[type] ?? 0) + count
        yield text
      }
    }
    async function* names() {
      for await (const page of snapshot.files()) yield page.map((file) => `${JSON.stringify(file)}\n`).join('')
    }
    const note = () => noteProgress(database, attempt, { step, counts })
    await records.write(noting(lines(), note), signal)
    await files.write(names(), signal)
    return { taken_at: snapshot.taken_at, counts }
  } finally {
    await snapshot.close()
  }
}

/** The bytes of the archive. A file that was removed since the snapshot is left out. */
async function* pack(blobs: BlobStore, { records, files }: Spools, manifest: object): AsyncGenerator<Buffer> {
  const now = newDate()
  yield tarHeader('data.ndjson', records.size, now)
  yield* records.read()
  yield tarPadding(records.size)
  let stored = 0
  for await (const line of createInterface({ input: Readable.from(files.read()) })) {
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
