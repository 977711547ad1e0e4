/** A server could not be started or kept running. The message is one sentence that tells the operator what to do. */
export class ServerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ServerError'
  }
}
