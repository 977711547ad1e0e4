import {
  type BackupManifest,
  type BackupSettings,
  makeBackup,
  openBlobs,
  type WrittenFile,
  writeBackupFile,
} from '../../../storage/mod.ts'
import { knownKeys } from '../../app/keys.ts'
import { givenSettings } from '../../app/settings/mod.ts'
import { releaseOf } from '../connection/connection.ts'
import { serverEnvironment } from '../node/serve.ts'
import { auditCommand, type OwnPlace, withOwnPlace } from '../own_place.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { Progress } from '../terminal/progress.ts'
import { outputMustBeWhole, printJson, printLine, remark } from '../terminal/terminal.ts'
import { type BackupOptions, passphraseOf } from './passphrase.ts'
import { afterwards, mustBeFinished, showBytes, sizeOf, withProgress } from './work.ts'

/** They name the places of this installation. In another one they would lead back to this one. */
const PLACES = ['DATABASE_URL', 'NATS_URL', 'PARLEY_BLOB_URL', 'PARLEY_DATA_DIR', 'PARLEY_NATS_SERVER']

/** @throws {CommandFailure} when the archive cannot be made; no file is left then */
export async function makeBackupFile(file: string, options: BackupOptions): Promise<void> {
  const passphrase = passphraseOf(options)
  if (file === '') throw new CommandFailure('The name of the archive is empty.', 2)
  const to = file === '-' ? process.stdout : file
  if (file === '-') outputMustBeWhole()
  const is_encrypted = passphrase !== undefined
  const progress = new Progress()
  let snapshot_at = ''
  let made: Made | undefined
  const outcome = () => (made ? 'The archive is complete.' : 'There is no archive.')
  const unfinished = await withProgress(progress, outcome, (signal) =>
    withOwnPlace(async (place) => {
      const blobs = await openBlobs(place.blob_url)
      try {
        made = await writeBackupFile({ to, passphrase, signal }, (sink) =>
          makeBackup(place.database, blobs, {
            parley: releaseOf(),
            settings: settingsOf(place, is_encrypted),
            sink,
            signal,
            progress: (done, about) => showBytes(progress, done, about),
            snapshot: (head) => {
              snapshot_at = head.snapshot_at
            },
          }),
        )
        const { sha256 } = made.file
        return await afterwards('The archive is complete, but the audit has no entry of it', () =>
          auditCommand(place.database, 'make_backup', { snapshot_at, sha256, is_encrypted }),
        )
      } finally {
        await blobs.close()
      }
    }),
  )
  const { result, file: written } = made!
  const tables = Object.values(result.tables)
  const report = {
    file,
    ...written,
    is_encrypted,
    snapshot_at,
    tables: tables.length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    files: result.blobs.count,
    missing_files: result.blobs.missing,
  }
  const print = file === '-' ? remark : printLine
  if (options.json && file !== '-') printJson(report)
  else {
    print(`${report.rows} rows of ${report.tables} tables and ${report.files} files, as of ${snapshot_at}.`)
    print(`${sizeOf(written.bytes)}, SHA-256 ${written.sha256}`)
  }
  if (report.missing_files > 0)
    remark(`${report.missing_files} files were not in the store: they were removed, or are lost.`)
  if (!is_encrypted) {
    remark('The archive is not encrypted, and it does not have PARLEY_SECRET: keep that apart from it.')
  }
  mustBeFinished(unfinished)
}

type Made = { result: BackupManifest; file: WrittenFile }

/** The settings of this environment. Secrets are among them only when the archive is encrypted. */
function settingsOf({ config, is_embedded }: OwnPlace, is_encrypted: boolean): BackupSettings {
  const own = is_embedded && config.environment === 'development' ? knownKeys(config.data_dir) : undefined
  const settings = givenSettings({
    ...(own && { PARLEY_SECRET: own.secret, PARLEY_OPERATOR_KEY: own.operator_key }),
    ...serverEnvironment(),
  })
  const kept = settings.filter(({ variable, is_secret }) => !PLACES.includes(variable) && (is_encrypted || !is_secret))
  return Object.fromEntries(kept.map(({ variable, value }) => [variable, value]))
}
