/**
 * A reason to stop that its reader can act on: printed alone, as one sentence, without a stack. Nothing is printed of an
 * empty one: all has been said.
 */
export class CommandFailure extends Error {
  /** 1: it could not be done. 2: it was asked for in the wrong way. Others: what the caller is known to understand. */
  readonly exit_code: number

  constructor(message: string, exit_code = 1) {
    super(message)
    this.name = 'CommandFailure'
    this.exit_code = exit_code
  }
}
