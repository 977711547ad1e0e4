/** `parley backup` and `parley restore`. */
import { type Command, Option } from 'commander'
import { withExamples } from '../options/examples.ts'
import type { BackupOptions } from './passphrase.ts'
import type { RestoreOptions } from './restore.ts'

const PASSPHRASE = 'first line of this file: the passphrase of the archive; or `PARLEY_BACKUP_PASSPHRASE`'

function withBackupOptions(command: Command): Command {
  return command.addOption(new Option('--passphrase-file <path>', PASSPHRASE)).option('--json', 'print JSON')
}

export function addBackupCommands(program: Command): void {
  const backup = withBackupOptions(program.command('backup'))
    .summary('one archive of the database, the files and the settings')
    .description(
      'Writes one consistent archive of all tables and uploaded files, while nodes serve. With a passphrase the archive ' +
        'is encrypted, and holds PARLEY_SECRET and the other keys too. Works on the database itself: run it on the ' +
        'machine of a node, with the environment of the node. Progress is written to standard error.',
    )
    .argument('<file>', 'path of the archive, which must not exist; - for standard output')
    .action(async (file: string, options: BackupOptions) => (await import('./make.ts')).makeBackupFile(file, options))
  withExamples(backup, [
    'parley backup parley-$(date +%F).backup',
    'PARLEY_BACKUP_PASSPHRASE="correct horse battery" parley backup - | sha256sum',
  ])

  const verify = withBackupOptions(backup.command('verify'))
    .summary('prove that an archive is whole')
    .description(
      'Reads an archive from its first byte to its last, and compares every checksum and count. Needs no database.',
    )
    .argument('<file>', 'path of the archive')
    .action(async (file: string, _: object, command: Command) =>
      (await import('./verify.ts')).verifyBackupFile(file, command.optsWithGlobals()),
    )
  withExamples(verify, ['parley backup verify parley-$(date +%F).backup'])

  const show = withBackupOptions(backup.command('show'))
    .summary('what an archive has')
    .description(
      'Shows when an archive was made and what it has. With --settings, prints its settings as lines for an environment ' +
        'file; secrets are among them when the archive is encrypted.',
    )
    .argument('<file>', 'path of the archive')
    .option('--settings', 'print the settings')
    .action(async (file: string, _: object, command: Command) =>
      (await import('./show.ts')).showBackupFile(file, command.optsWithGlobals()),
    )
  withExamples(show, [
    'parley backup show parley-$(date +%F).backup',
    'parley backup show parley-$(date +%F).backup --settings',
  ])

  const restore = withBackupOptions(program.command('restore'))
    .summary('restore an archive into an empty database')
    .description(
      'Fills the empty database of DATABASE_URL, or else the embedded one of a new data directory, and the store of ' +
        'files with an archive. The whole archive is checked before anything is changed. The archive may be of an older ' +
        'release. Asks for confirmation. Progress is written to standard error.',
    )
    .argument('<file>', 'path of the archive')
    .option('--yes', 'do not ask')
    .option('--shared-files', 'accept the store of files that the archive was made from, to replace its installation')
    .option('--allow-missing-keys', 'restore values that no secret of PARLEY_SECRET decrypts, to set them again later')
    .action(async (file: string, options: RestoreOptions) =>
      (await import('./restore.ts')).restoreBackupFile(file, options),
    )
  withExamples(restore, [
    'DATABASE_URL=postgres://parley:secret@db/empty parley restore parley-2026-11-24.backup --yes',
  ])
}
