/** A server could not be started or kept. The message is one sentence for the operator that says what to do. */
export class ServerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ServerError'
  }
}
