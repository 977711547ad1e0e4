/** `parley secrets`: changes the secret under which stored values are encrypted. */
import type { Command } from 'commander'
import { withExamples } from '../options/examples.ts'

type Options = { json?: boolean }

export function addSecretsCommands(program: Command): void {
  const secrets = program
    .command('secrets')
    .summary('change PARLEY_SECRET')
    .description(
      'Changes the secret under which credentials and webhook secrets are stored. Works on the database itself: run it ' +
        'on the machine of a node, with the environment of the node.',
    )

  const status = secrets
    .command('status')
    .summary('which keys the stored values need')
    .description(
      'Counts the stored values of each key of PARLEY_SECRET, lists the keys of the live nodes, and says which secrets ' +
        'may be dropped from the list.',
    )
    .option('--json', 'print JSON')
    // Loaded here: the other commands do not need the database and start faster.
    .action(async (options: Options) => (await import('./status.ts')).showSecretStatus(options))
  withExamples(status, ['parley secrets status', 'parley secrets status --json | jq .may_drop'])

  const rotate = secrets
    .command('rotate')
    .summary('encrypt everything with the first secret')
    .description(
      'Encrypts all stored values with the first secret of PARLEY_SECRET, in small batches, while nodes serve. Ctrl-C ' +
        'stops it, and running it again continues. It begins only when every live node has that secret first in its ' +
        'list. Progress is written to standard error.',
    )
    .option('--json', 'print JSON')
    .action(async (options: Options) => (await import('./rotate.ts')).rotate(options))
  withExamples(rotate, ['parley secrets rotate', 'parley secrets rotate --json | jq .resealed'])
}
