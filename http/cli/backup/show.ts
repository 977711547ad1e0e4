import { readArchive } from '../../../storage/mod.ts'
import { Progress } from '../terminal/progress.ts'
import { printJson, printLine, table } from '../terminal/terminal.ts'
import { type BackupOptions, passphraseOf } from './passphrase.ts'
import { fileWithProgress, sizeOf, withProgress } from './work.ts'

/** @throws {CommandFailure} when the archive is damaged or incomplete */
export async function showBackupFile(file: string, options: BackupOptions & { settings?: boolean }): Promise<void> {
  const progress = new Progress()
  const { head, settings, manifest } = await withProgress(
    progress,
    () => '',
    (signal) => readArchive(fileWithProgress(file, progress, signal), passphraseOf(options)),
  )
  if (options.settings) {
    if (options.json) return printJson(settings)
    return printLine(
      Object.entries(settings)
        .map(([name, value]) => `${name}=${quoted(value)}`)
        .join('\n'),
    )
  }
  const { parley, postgres, snapshot_at, migrations } = head
  const { tables, blobs } = manifest
  if (options.json) return printJson({ parley, postgres, snapshot_at, migrations, tables, blobs })
  printLine(`As of ${snapshot_at}, by Parley ${parley} with PostgreSQL ${postgres}, up to ${migrations.at(-1)}.`)
  const rows = Object.entries(tables).filter(([, totals]) => totals.rows > 0)
  printLine(
    table(
      ['table', 'rows', 'size'],
      rows.map(([name, totals]) => [name, String(totals.rows), sizeOf(totals.bytes)]),
      0,
    ),
  )
  printLine(`${blobs.count} files, ${sizeOf(blobs.bytes)}${blobs.missing > 0 ? `; ${blobs.missing} were missing` : ''}`)
}

/** For a shell and for an environment file. */
function quoted(value: string): string {
  return /^[\w./:@,+-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}
