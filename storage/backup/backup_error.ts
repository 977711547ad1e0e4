/** An archive that cannot be made, read or restored. `message` is a sentence that tells the operator why. */
export class BackupError extends Error {
  override name = 'BackupError'

  constructor(message: string, options?: ErrorOptions) {
    // The sentence may quote an archive: nothing of it may reach a terminal as a command.
    super(message.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), options)
  }
}

export function damaged(what: string): BackupError {
  return new BackupError(`The file is damaged: ${what}.`)
}

/** The text of another error, for the brackets in a sentence. */
export function reasonOf(error: unknown): string {
  return (error as Error).message.replace(/\.$/, '')
}
