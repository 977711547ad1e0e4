/** The `parley` command. */
import { runCommand } from './run_command.ts'

// The reader may close the pipe early (`parley token list | head -1`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await runCommand(process.argv.slice(2))
