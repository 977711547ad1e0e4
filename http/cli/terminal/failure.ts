/**
 * A reason to stop that its reader can act on: printed alone, as one sentence, without a stack. An empty message prints
 * nothing, because everything was printed before.
 */
export class CommandFailure extends Error {
  /** 1: it could not be done. 2: wrong usage. Others: codes that the caller is known to understand. */
  readonly exit_code: number

  constructor(message: string, exit_code = 1) {
    super(message)
    this.name = 'CommandFailure'
    this.exit_code = exit_code
  }
}
