import type { Command } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { poll } from '../connection/poll.ts'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { Progress } from '../terminal/progress.ts'
import { printJson, printLine } from '../terminal/terminal.ts'
import { printFailures, readFailures } from './failures.ts'
import { type Broadcast, broadcastPath, doneOf, hasEnded, sentence } from './record.ts'

type Options = TokenOptions & { json?: boolean }

export function addWatchCommand(broadcast: Command): void {
  const command = withTokenOptions(broadcast.command('watch'))
    .summary('watch the progress of one until it ends')
    .description(
      'Shows the progress of a broadcast until it ends, then the reasons of failures. Ctrl-C stops watching, not ' +
        'the broadcast. Exit code 1 when it failed as a whole or was cancelled.',
    )
    .argument('<id>', 'the broadcast (parley broadcast list)')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) => watchToEnd(connectAsProject(options), id, options))
  withExamples(command, [
    'parley broadcast watch brd_66f2a0c1d4e5f60718293a4b',
    'parley broadcast watch brd_66f2a0c1d4e5f60718293a4b --json | jq .failed_count',
  ])
}

/**
 * Shows the progress and, at the end, the outcome.
 * @throws {CommandFailure} when it failed as a whole or was cancelled
 */
export async function watchToEnd(api: Api, id: string, { json }: Options, lines?: number[]): Promise<void> {
  const broadcast = await waitForEnd(api, id, json ? undefined : new Progress())
  const is_complete = broadcast.status === 'completed'
  const failures = await readFailures(api, broadcast, lines)
  if (json) printJson({ ...broadcast, failures })
  else {
    if (is_complete) printLine(sentence(broadcast))
    printFailures(broadcast, failures)
  }
  if (!is_complete) throw new CommandFailure(sentence(broadcast))
}

async function waitForEnd(api: Api, id: string, progress: Progress | undefined): Promise<Broadcast> {
  try {
    return await poll(api, async () => {
      const broadcast: Broadcast = await api.call('GET', broadcastPath(id))
      progress?.show(doneOf(broadcast), broadcast.total)
      return hasEnded(broadcast) ? broadcast : undefined
    })
  } finally {
    progress?.clear()
  }
}
