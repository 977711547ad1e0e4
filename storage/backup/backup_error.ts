/** An archive that cannot be made, read or restored. `message` is a sentence that tells the operator why. */
export class BackupError extends Error {
  override name = 'BackupError'
}

export function damaged(what: string): BackupError {
  return new BackupError(`The file is damaged: ${what}.`)
}
