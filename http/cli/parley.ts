/** The `parley` command. */
import { runCommand } from './run_command.ts'
import { outputFailed } from './terminal/terminal.ts'

process.stdout.on('error', outputFailed)

process.exitCode = await runCommand(process.argv.slice(2))
