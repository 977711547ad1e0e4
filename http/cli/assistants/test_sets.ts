/** The stored test sets of an assistant, and their runs. */
import type { Command } from 'commander'
import { stringify } from 'yaml'
import type { AssistantTestRunSummary, AssistantTestSet, AssistantTestSetSummary } from '../../client/mod.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { limitOption, readPages } from '../connection/pages.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { paint, printable, printJson, printLine, printText, remark, table } from '../terminal/terminal.ts'
import { tellRun, testSetsPath } from './test.ts'
import { rateOf, resultOf } from './test_report.ts'

const ASSISTANT = '66f2a0c1d4e5f60718293a4b'
const SET = '66f2a0c1d4e5f60718293a4c'

type Options = TokenOptions & { json?: boolean; yes?: boolean; limit: number }

const setPath = (id: string, set: string) => `${testSetsPath(id)}/${encodeURIComponent(set)}`

export function addTestSets(group: Command): void {
  const sets = group
    .command('test-sets')
    .summary('the test sets of an assistant')
    .description('Shows and deletes test sets. `parley assistants test` stores them.')
  const of = (verb: string) => withTokenOptions(sets.command(verb)).argument('<id>', 'the assistant')

  const list = of('list')
    .summary('list test sets')
    .description('Lists the test sets of an assistant, newest first.')
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listSets)
  withExamples(list, [`parley assistants test-sets list ${ASSISTANT}`])

  const show = of('show')
    .argument('<set>', 'the test set')
    .summary('print a test set')
    .description('Prints a test set as YAML, as `parley assistants test` takes it.')
    .option('--json', 'print JSON')
    .action(showSet)
  withExamples(show, [`parley assistants test-sets show ${ASSISTANT} ${SET} > delivery.yaml`])

  const remove = withYes(of('delete').argument('<set>', 'the test set'))
    .summary('delete a test set')
    .description('Deletes a test set with its runs, after a question. A run under way ends.')
    .option('--json', 'print JSON')
    .action(deleteSet)
  withExamples(remove, [`parley assistants test-sets delete ${ASSISTANT} ${SET} --yes`])
}

export function addTestRuns(group: Command): void {
  const runs = withTokenOptions(group.command('test-runs'))
    .argument('<id>', 'the assistant')
    .argument('<set>', 'the test set (parley assistants test-sets list)')
    .argument('[run]', 'one of them, with the tries that failed')
    .summary('list the runs of a test set')
    .description('Lists the runs of a test set, newest first, or shows one. Ends with 1 when that one did not pass.')
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(async (id: string, set: string, run: string | undefined, options: Options) => {
      const path = `${setPath(id, set)}/runs`
      if (run === undefined) return listRuns(path, options)
      await tellRun(connectAsProject(options), `${path}/${encodeURIComponent(run)}`, options)
    })
  withExamples(runs, [
    `parley assistants test-runs ${ASSISTANT} ${SET}`,
    `parley assistants test-runs ${ASSISTANT} ${SET} 66f2a0c1d4e5f60718293a4d`,
  ])
}

const more = () => remark(paint('dim', 'There are more: a greater --limit shows them.', process.stderr))

async function listSets(id: string, options: Options): Promise<void> {
  const page = await readPages<AssistantTestSetSummary>(connectAsProject(options), testSetsPath(id), {}, options.limit)
  if (options.json) return printJson(page.rows)
  if (page.rows.length === 0) return remark('The assistant has no test sets: `parley assistants test` stores one.')
  const rows = page.rows.map(({ _id, case_count, runs, pass_rate, name }) => [
    ...[_id, String(case_count), String(runs), String(pass_rate), printable(name)],
  ])
  process.stdout.write(table(['id', 'cases', 'runs', 'pass rate', 'name'], rows, 4))
  if (page.more) more()
}

async function showSet(id: string, set: string, options: Options): Promise<void> {
  const answer = await connectAsProject(options).call<{ test_set: AssistantTestSet }>('GET', setPath(id, set))
  const { name, runs, pass_rate, cases } = answer.test_set
  if (options.json) printJson(answer.test_set)
  else printText(stringify({ name, runs, pass_rate, cases }, { aliasDuplicateObjects: false }).trimEnd())
}

async function deleteSet(id: string, set: string, options: Options): Promise<void> {
  const api = connectAsProject(options)
  const path = setPath(id, set)
  if (!options.yes) {
    const { test_set } = await api.call<{ test_set: AssistantTestSet }>('GET', path)
    const question = `Delete the test set “${printable(test_set.name)}” (${set}) with its runs?`
    await mustAgree({ question, refusal: 'Nothing is deleted' })
  }
  await api.call('DELETE', path)
  if (options.json) printJson({ deleted: set })
  else printLine(`Deleted ${set}.`)
}

async function listRuns(path: string, options: Options): Promise<void> {
  const page = await readPages<AssistantTestRunSummary>(connectAsProject(options), path, {}, options.limit)
  if (options.json) return printJson(page.rows)
  if (page.rows.length === 0) return remark('The set has no runs: `parley assistants test` starts one.')
  const rows = page.rows.map((run) => [
    run._id,
    shortTime(run.created_at),
    resultOf(run),
    `${run.passed} of ${run.total}${rateOf(run)}`,
  ])
  process.stdout.write(table(['run', 'begun (UTC)', 'result', 'passed'], rows, 3))
  if (page.more) more()
}
