/**
 * The `parley` command. Exit codes: 0 it is done, 1 it could not be done, 2 it was asked for in the wrong way. What goes
 * wrong is one sentence on standard error.
 */
import { CommanderError } from 'commander'
import { CommandFailure } from './failure.ts'
import { buildProgram } from './program.ts'
import { paint } from './terminal.ts'

// Whoever reads us may have seen enough (`parley token list | head -1`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

try {
  await buildProgram().parseAsync()
} catch (error) {
  if (error instanceof CommandFailure) {
    process.stderr.write(`${paint('red', error.message, process.stderr)}\n`)
    process.exitCode = error.exit_code
  } else if (error instanceof CommanderError) {
    // It has said what is wrong. Help and version, asked for, end this way too.
    process.exitCode = error.exitCode === 0 ? 0 : 2
  } else throw error
}
