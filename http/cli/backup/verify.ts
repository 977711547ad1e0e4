import { readArchive } from '../../../storage/mod.ts'
import { Progress } from '../terminal/progress.ts'
import { paint, printJson, printLine } from '../terminal/terminal.ts'
import { type BackupOptions, passphraseOf } from './passphrase.ts'
import { fileWithProgress, withProgress } from './work.ts'

/** @throws {CommandFailure} when the archive is damaged or incomplete */
export async function verifyBackupFile(file: string, options: BackupOptions): Promise<void> {
  const progress = new Progress()
  const { head, manifest } = await withProgress(
    progress,
    () => '',
    (signal) => readArchive(fileWithProgress(file, progress, signal), passphraseOf(options)),
  )
  const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0)
  const { count, missing } = manifest.blobs
  if (options.json)
    return printJson({ ok: true, snapshot_at: head.snapshot_at, rows, files: count, missing_files: missing })
  printLine(paint('green', `The archive is whole: ${rows} rows and ${count} files, as of ${head.snapshot_at}.`))
}
