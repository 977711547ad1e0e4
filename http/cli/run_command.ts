import { CommanderError } from 'commander'
import { CommandFailure } from './failure.ts'
import { buildProgram } from './program.ts'
import { paint } from './terminal.ts'

/**
 * Runs `parley` with these arguments. Resolves to its exit code: 0 it is done, 1 it could not be done, 2 it was asked for
 * in the wrong way. What goes wrong is one sentence on standard error.
 */
export async function runCommand(args: string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommandFailure) {
      if (error.message) process.stderr.write(`${paint('red', error.message, process.stderr)}\n`)
      return error.exit_code
    }
    // It has said what is wrong. Help and version, asked for, end this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    throw error
  }
}
