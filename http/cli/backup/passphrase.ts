import { readFileSync } from 'node:fs'
import { CommandFailure } from '../terminal/failure.ts'

/** Options of all these commands. */
export type BackupOptions = { passphraseFile?: string; json?: boolean }

const MIN = 8

/**
 * The passphrase of a file or of the environment; undefined when there is none. Not an option of its own, because other
 * users of the machine see command lines.
 *
 * @throws {CommandFailure} when the file cannot be read, or the passphrase is too short
 */
export function passphraseOf({ passphraseFile }: BackupOptions): string | undefined {
  const passphrase = passphraseFile === undefined ? process.env.PARLEY_BACKUP_PASSPHRASE : firstLine(passphraseFile)
  if (passphrase === undefined || (passphrase === '' && passphraseFile === undefined)) return undefined
  if ([...passphrase].length >= MIN) return passphrase
  throw new CommandFailure(`The passphrase must have at least ${MIN} characters.`, 2)
}

function firstLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/)[0]!
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 2)
  }
}
