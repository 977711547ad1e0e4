import { type Command, InvalidArgumentError } from 'commander'
import type {
  AssistantTestResult,
  AssistantTestRun,
  AssistantTestRunSummary,
  AssistantTestSet,
  AssistantTestSetSummary,
} from '../../client/mod.ts'
import { type Api, ApiRefusal } from '../connection/api.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { poll } from '../connection/poll.ts'
import { withExamples } from '../options/examples.ts'
import { readYamlOf, type YamlFile } from '../options/yaml_file.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { untilInterrupted } from '../terminal/interrupt.ts'
import { Progress } from '../terminal/progress.ts'
import { printJson } from '../terminal/terminal.ts'
import { printRun, resultOf } from './test_report.ts'

const EXAMPLE = '66f2a0c1d4e5f60718293a4b'
/** The code that shells have for a command that Ctrl-C has ended. */
const INTERRUPTED = 130

type Options = TokenOptions & { runs?: number; held?: true; json?: boolean }

/** The run, and the page of its results. */
type RunAnswer = { run: AssistantTestRun; results: { data: AssistantTestResult[]; next_cursor: string | null } }

export function addTest(group: Command): void {
  const command = withTokenOptions(group.command('test'))
    .argument('<id>', 'its id (parley assistants list)')
    .argument('<file>', 'a YAML or JSON file with a test set; - reads standard input')
    .summary('test an assistant against expectations')
    .description(
      'Stores the test set under its name, tries all its cases and prints those that failed. Ends with 0 when the set ' +
        'passed, and with 1 when it did not. Ctrl-C cancels the run.',
    )
    .option('--runs <number>', 'how often each case is tried, 1 to 20 (default: that of the set)', parseRuns)
    .option('--held', 'try the held versions of blocks; those that wait for this set are released when it passes')
    .option('--json', 'print JSON')
    .action(async (id: string, file: string, options: Options) => {
      const api = connectAsProject(options)
      const set = await putSet(api, testSetsPath(id), file, await readYamlOf(file))
      const path = `${testSetsPath(id)}/${set._id}/runs`
      const { runs, held } = options
      const { run } = await api.call<{ run: AssistantTestRunSummary }>('POST', path, { runs, held })
      await untilEnded(api, `${path}/${run._id}`, options.json ? undefined : new Progress())
      await tellRun(api, `${path}/${run._id}`, options)
    })
  withExamples(command, [
    `parley assistants test ${EXAMPLE} delivery.yaml`,
    `parley assistants test ${EXAMPLE} delivery.yaml --runs 5 --json | jq .pass_rate`,
  ])
}

export function testSetsPath(id: string): string {
  return `/v1/assistants/${encodeURIComponent(id)}/test-sets`
}

/**
 * Prints a run with the tries that failed.
 * @throws {CommandFailure} when it has ended and did not pass
 */
export async function tellRun(api: Api, path: string, { json }: { json?: boolean }): Promise<void> {
  const { run, results } = await readRun(api, path, json ? '' : 'has_passed=false&')
  if (json) printJson({ ...run, results })
  else printRun(run, results)
  if (run.has_passed !== false) return
  const is_over = run.state === 'done' || json
  throw new CommandFailure(is_over ? '' : `The run ended early (${resultOf(run)}).`)
}

async function readRun(api: Api, path: string, filter: string) {
  const results: AssistantTestResult[] = []
  for (let cursor: string | null = null; ; ) {
    const after = cursor === null ? '' : `&cursor=${cursor}`
    const answer: RunAnswer = await api.call('GET', `${path}?${filter}limit=100${after}`)
    results.push(...answer.results.data)
    cursor = answer.results.next_cursor
    if (cursor === null) return { run: answer.run, results }
  }
}

/** Replaces the set of this name, or creates it. */
async function putSet(api: Api, path: string, file: string, { value, lineOf }: YamlFile): Promise<AssistantTestSet> {
  const { name } = (value ?? {}) as { name?: unknown }
  if (typeof name !== 'string' || name.trim() === '') {
    throw new CommandFailure(`${file}:${lineOf(['name'])}: name is missing: the name of the test set, a text.`)
  }
  try {
    const query = new URLSearchParams({ name: name.trim() })
    const { data } = await api.call<{ data: AssistantTestSetSummary[] }>('GET', `${path}?${query}`)
    const known = data[0] && `${path}/${data[0]._id}`
    const { test_set } = await api.call<{ test_set: AssistantTestSet }>(known ? 'PUT' : 'POST', known ?? path, value)
    return test_set
  } catch (error) {
    throw error instanceof ApiRefusal ? placed(error, file, lineOf) : error
  }
}

type Violation = { path: string; message: string }

/** A refusal of the set with the lines of the file. */
function placed(refusal: ApiRefusal, file: string, lineOf: YamlFile['lineOf']): Error {
  const violations = (refusal.details?.violations ?? []) as Violation[]
  if (refusal.code !== 'VALIDATION_ERROR' || violations.length === 0) return refusal
  const lines = violations.map(({ path, message }) => {
    return `${file}:${lineOf(path === '' ? [] : path.split('.'))}: ${path || 'the test set'} ${message}`
  })
  return new CommandFailure(lines.join('\n'))
}

/** Shows the progress. @throws {CommandFailure} with 130 when a signal ends it; the run is canceled then */
async function untilEnded(api: Api, path: string, progress: Progress | undefined): Promise<void> {
  try {
    await untilInterrupted(async (signal) => {
      const ended = poll(api, async () => {
        if (signal.aborted) return false
        const { run } = await api.call<RunAnswer>('GET', `${path}?limit=1`)
        progress?.show(run.passed + run.failed, run.total)
        return run.ended_at !== null || undefined
      })
      // A poll under way may still fail when nobody waits for it any more.
      ended.catch(() => {})
      const stopped = new Promise<false>((resolve) => signal.addEventListener('abort', () => resolve(false)))
      if (await Promise.race([ended, stopped])) return
      await api.call('POST', `${path}/cancel`)
      throw new CommandFailure('The run was canceled.', INTERRUPTED)
    })
  } finally {
    progress?.clear()
  }
}

function parseRuns(text: string): number {
  if (!/^(?:[1-9]|1\d|20)$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 20.')
  return Number(text)
}
