import { CommanderError } from 'commander'
import { buildProgram } from './program.ts'
import { CommandFailure } from './terminal/failure.ts'
import { paint } from './terminal/terminal.ts'

/**
 * Runs `parley` with these arguments. Resolves to its exit code: 0 success, 1 failure, 2 wrong usage. Errors are one
 * sentence on standard error.
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
    // Commander has printed the error. Requested help and version end this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    throw error
  }
}
