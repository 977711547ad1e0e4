/** `parley knowledge reindex`. */
import type { Command } from 'commander'
import type { Api } from '../connection/api.ts'
import { poll } from '../connection/poll.ts'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { Progress } from '../terminal/progress.ts'
import { printJson, printLine } from '../terminal/terminal.ts'
import { connectToProject, type ProjectOptions, withProject } from './node.ts'

type State = { folders: number; documents: number; pending: number; failed: number }
type Options = ProjectOptions & { wait?: boolean; failed?: boolean; status?: boolean }

export function addReindexCommand(knowledge: Command): void {
  const command = withProject(knowledge.command('reindex'))
    .summary('index the documents again, or wait for the index')
    .description(
      'Queues the documents of a project to be indexed again; searches find their former state meanwhile. Changed ' +
        'documents are indexed without this. Exit code 1 when --wait ends with documents that cannot be indexed.',
    )
    .option('--failed', 'only those that could not be indexed')
    .option('--status', 'queue nothing, only look')
    .option('--wait', 'show the progress until no document waits')
    .option('--json', 'print JSON')
    .action(reindex)
  withExamples(command, [
    'parley knowledge reindex --wait',
    'parley knowledge reindex --status --wait   # wait for what has just been changed',
    'parley knowledge reindex --status --json | jq .pending',
  ])
}

async function reindex({ failed = false, status = false, wait = false, ...options }: Options): Promise<void> {
  const { api, project_id } = connectToProject(options)
  const path = `/admin/v1/knowledge/index?project_id=${project_id}`
  const body = { project_id, only_failed: failed }
  const begin = () => api.call<{ queued: number }>('POST', '/admin/v1/knowledge/reindex', body)
  const queued = status ? undefined : (await begin()).queued
  const state = wait ? await waitForIndex(api, path, options) : await api.call<State>('GET', path)
  if (options.json) printJson(queued === undefined ? state : { queued, ...state })
  else printLine(sentence(queued, state))
  if (wait && state.failed > 0) throw new CommandFailure(`${state.failed} of the documents cannot be indexed.`)
}

async function waitForIndex(api: Api, path: string, { json }: ProjectOptions): Promise<State> {
  const progress = json ? undefined : new Progress()
  let most = 0
  try {
    return await poll(api, async () => {
      const state: State = await api.call('GET', path)
      most = Math.max(most, state.pending)
      progress?.show(most - state.pending, most)
      return state.pending === 0 ? state : undefined
    })
  } finally {
    progress?.clear()
  }
}

function sentence(queued: number | undefined, { documents, folders, pending, failed }: State): string {
  const done = queued === undefined ? '' : `${queued} queued. `
  return `${done}${documents} documents in ${folders} folders: ${pending} wait to be indexed, ${failed} failed.`
}
