import {
  type BackupSettings,
  openBlobs,
  type Restored,
  readBackupFile,
  readHead,
  restoreBackup,
} from '../../../storage/mod.ts'
import { knownKeys, saveKeys } from '../../app/keys.ts'
import { auditCommand, type OwnPlace, ownPlaceName, withOwnPlace } from '../own_place.ts'
import { mustAgree } from '../terminal/confirm.ts'
import { Progress } from '../terminal/progress.ts'
import { printable, printJson, printLine, remark } from '../terminal/terminal.ts'
import { type BackupOptions, passphraseOf } from './passphrase.ts'
import { afterwards, fileWithProgress, mustBeFinished, withProgress } from './work.ts'

export type RestoreOptions = BackupOptions & { yes?: boolean; sharedFiles?: boolean; allowMissingKeys?: boolean }

/**
 * @throws {CommandFailure} when the archive cannot be restored; the database has nothing of it then. Also when the rows are
 * restored and something after them failed: the message says so
 */
export async function restoreBackupFile(file: string, options: RestoreOptions): Promise<void> {
  const passphrase = passphraseOf(options)
  const progress = new Progress()
  let is_restored = false
  const outcome = () => (is_restored ? 'The archive is restored.' : 'Nothing of the archive is restored.')
  const unfinished = await withProgress(progress, outcome, async (signal) => {
    const { head, settings } = await readHead(readBackupFile(file), passphrase)
    if (!options.yes) {
      const question = `Fill ${ownPlaceName()} with the archive of ${head.snapshot_at}?`
      await mustAgree({ question, refusal: 'Nothing is restored' })
    }
    const { sharedFiles: shared_files, allowMissingKeys: missing_keys } = options
    const source = { open: fileWithProgress(file, progress), passphrase, signal, shared_files, missing_keys }
    return withOwnPlace(
      async (place) => {
        const restored = await fill(place, source)
        is_restored = true
        const { snapshot_at } = restored.head
        const without_entry = await afterwards('The archive is restored, but the audit has no entry of it', () =>
          auditCommand(place.database, 'restore_backup', { snapshot_at }),
        )
        // Before anything is closed: a failure there would hide that the rows are stored.
        progress.clear()
        tell(restored, options)
        return restored.unfinished === null ? without_entry : [restored.unfinished, ...without_entry]
      },
      { create: true, alone: true, secret: settings.PARLEY_SECRET },
    )
  })
  mustBeFinished(unfinished)
}

function tell(restored: Restored, { json }: RestoreOptions): void {
  const { head, manifest, known_files, foreign, migrated, unfinished } = restored
  const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0)
  const files = manifest.blobs.count
  const report = { snapshot_at: head.snapshot_at, rows, files, known_files, left_out: foreign, migrated, unfinished }
  if (json) printJson(report)
  else printLine(`Restored ${rows} rows and ${files} files, as of ${head.snapshot_at}.`)
  if (foreign.length > 0) remark(`Not restored, because they are not Parley's: ${foreign.map(printable).join(', ')}.`)
  if (migrated.length > 0) remark(`Then migrated to this release: ${migrated.join(', ')}.`)
  remark('The settings of the former installation: parley backup show --settings.')
}

type Source = {
  open: () => AsyncIterable<Buffer>
  passphrase: string | undefined
  signal: AbortSignal
  shared_files: boolean | undefined
  missing_keys: boolean | undefined
}

async function fill(place: OwnPlace, source: Source): Promise<Restored> {
  const blobs = await openBlobs(place.blob_url)
  const is_start = place.is_embedded && place.config.environment === 'development'
  try {
    return await restoreBackup(place.database, blobs, { ...source, ...(is_start && keysOf(place)) })
  } finally {
    await blobs.close()
  }
}

/**
 * A development start on the restored database has to use its secret, also where `PARLEY_SECRET` gave it to this command:
 * a start without the variable would make another one. The keys are saved before the commit, because the
 * rows are of no use without them.
 */
function keysOf({ config: { data_dir }, secret }: OwnPlace) {
  const known = knownKeys(data_dir)
  if (known.secret !== undefined || secret === undefined) return {}
  return {
    before_commit(settings: BackupSettings) {
      const operator_key = known.operator_key ?? settings.PARLEY_OPERATOR_KEY
      saveKeys(data_dir, { ...known, secret, ...(operator_key !== undefined && { operator_key }) })
    },
    not_committed: () => saveKeys(data_dir, known),
  }
}
