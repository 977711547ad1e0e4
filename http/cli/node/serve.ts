import type { Command } from 'commander'
import { withExamples } from '../options/examples.ts'

export function addServeCommand(program: Command): void {
  const serve = program
    .command('serve')
    .summary('run Parley')
    .description(
      'Runs Parley until it is stopped, like `npm start`: with its own PostgreSQL and NATS, unless DATABASE_URL ' +
        'and NATS_URL name others. All other settings are environment variables, too: `parley config reference`.',
    )
    .action(async () => {
      // Loaded here: the other commands do not need the server and start faster.
      const { serve } = await import('../../app/serve.ts')
      process.exit(await serve(serverEnvironment()))
    })
  withExamples(serve, ['parley serve', 'PARLEY_PORT=9000 PARLEY_DATA_DIR=/var/lib/parley parley serve'])
}

/** The environment without variables that are only for this command line. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PARLEY_TOKEN: _, PARLEY_BACKUP_PASSPHRASE: __, ...env } = process.env
  return env
}
