import {
  type BackupSettings,
  openBlobs,
  type Restored,
  readBackupFile,
  readHead,
  restoreBackup,
} from '../../../storage/mod.ts'
import { knownKeys, saveKeys } from '../../app/keys.ts'
import { mustAgree } from '../confirm.ts'
import { auditCommand, type OwnPlace, ownPlaceName, withOwnPlace } from '../own_place.ts'
import { Progress } from '../progress.ts'
import { printJson, printLine, remark } from '../terminal.ts'
import { type BackupOptions, passphraseOf } from './passphrase.ts'
import { shownFile, withProgress } from './work.ts'

/** @throws {CommandFailure} when the archive cannot be restored; the database has nothing of it then */
export async function restoreBackupFile(file: string, options: BackupOptions & { yes?: boolean }): Promise<void> {
  const passphrase = passphraseOf(options)
  const progress = new Progress()
  const stopped = 'Stopped: nothing of the archive was restored.'
  const restored = await withProgress(progress, stopped, async (signal) => {
    const { head, settings } = await readHead(readBackupFile(file), passphrase)
    if (!options.yes) {
      const question = `Fill ${ownPlaceName()} with the archive of ${head.snapshot_at}?`
      await mustAgree({ question, refusal: 'Nothing is restored' })
    }
    const source = { open: shownFile(file, progress), passphrase, signal }
    return withOwnPlace((place) => fill(place, source), {
      create: true,
      alone: true,
      secret: settings.PARLEY_SECRET,
    })
  })
  const { head, manifest, known_files, foreign, migrated } = restored
  const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0)
  const files = manifest.blobs.count
  const told = { snapshot_at: head.snapshot_at, rows, files, known_files, left_out: foreign, migrated }
  if (options.json) printJson(told)
  else printLine(`Restored ${rows} rows and ${files} files, as of ${head.snapshot_at}.`)
  if (foreign.length > 0) remark(`Not restored, because they are not Parley's: ${foreign.join(', ')}.`)
  if (migrated.length > 0) remark(`Then migrated to this release: ${migrated.join(', ')}.`)
  remark('The settings of the former installation: parley backup show --settings.')
}

type Source = { open: () => AsyncIterable<Buffer>; passphrase: string | undefined; signal: AbortSignal }

async function fill(place: OwnPlace, source: Source): Promise<Restored> {
  const blobs = await openBlobs(place.blob_url)
  try {
    const restored = await restoreBackup(place.database, blobs, source)
    await auditCommand(place.database, 'restore_backup', { snapshot_at: restored.head.snapshot_at })
    if (place.is_embedded && !process.env.PARLEY_SECRET) keepKeys(place, restored.settings)
    return restored
  } finally {
    await blobs.close()
  }
}

/** A development start on the restored database has to use its secret. */
function keepKeys({ config: { data_dir }, secret }: OwnPlace, settings: BackupSettings): void {
  const known = knownKeys(data_dir)
  if (known.secret !== undefined || secret === undefined) return
  const operator_key = known.operator_key ?? settings.PARLEY_OPERATOR_KEY
  saveKeys(data_dir, { ...known, secret, ...(operator_key !== undefined && { operator_key }) })
}
