/** `parley pipelines export` and `apply`: a pipeline as a file that can be kept and compared. */

import type { Command } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import type { Pipeline } from '../records/generated.ts'
import { type Options, type Owner, ownerOf, type Resource, recordPath, withOwner } from '../records/resource.ts'
import { mustAgree } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printable, printJson, printLine, remark } from '../terminal/terminal.ts'
import { type PipelineFile, planOf, readPipeline, toFile } from './pipeline_plan.ts'

type Pipelines = Resource<Pipeline>

export function addExportCommand(group: Command, resource: Pipelines): void {
  const command = withOperatorOptions(group.command('export'))
    .summary('print a pipeline as a file')
    .description('Prints a pipeline as JSON that `parley pipelines apply` and `create --file` read.')
    .argument('<id>', 'its id (parley pipelines list)')
    .action(async (id: string, options: Options) => {
      printJson(toFile(await connectAsOperator(options).api.call('GET', recordPath(resource, id))))
    })
  withExamples(command, ['parley pipelines export 66f2a0c1d4e5f60718293a4b > pipeline.json'])
}

export function addApplyCommand(group: Command, resource: Pipelines): void {
  const command = withOwner(withOperatorOptions(group.command('apply')), resource)
    .summary('make a pipeline as a file says')
    .description(
      'Creates or changes a pipeline to match a file, and first shows the changes. The pipeline is found by its ' +
        '_id, otherwise by its name, and created when there is none; the same holds for stages, so that stages with ' +
        'open tickets are kept. On a terminal it asks for confirmation; elsewhere it needs --yes.',
    )
    .argument('<file>', 'a file of parley pipelines export; - reads standard input')
    .option('--yes', 'change it without asking')
    .option('--json', 'print the pipeline as JSON')
    .action((file: string, options: Options) => apply(resource, file, options))
  withExamples(command, ['parley pipelines apply pipeline.json', 'parley pipelines apply pipeline.json --yes --json'])
}

async function apply(resource: Pipelines, path: string, options: Options): Promise<void> {
  const file = await readPipeline(path)
  const { api, demo } = connectAsOperator(options)
  const owner = ownerOf(resource, options, demo)
  const present = await find(api, file, owner)
  const { lines, body } = present ? planOf(file, present) : planOfNew(file, owner)
  if (lines.length === 0) {
    if (options.json) printJson(present)
    else printLine(`“${printable(file.name)}” is as the file says: nothing to change.`)
    return
  }
  remark(`Pipeline “${printable(present?.name ?? file.name)}”${present ? ` (${present._id})` : ', which is new'}:`)
  for (const line of lines) remark(`  ${coloured(printable(line))}`)
  if (!options.yes) await mustAgree({ question: 'Make it so?', refusal: 'Nothing is changed', file: path })
  const done: Pipeline = present
    ? await api.call('PATCH', recordPath(resource, present._id), body)
    : await api.call('POST', `/admin/v1/${resource.name}`, body)
  if (options.json) printJson(done)
  else printLine(`${present ? 'Changed' : 'Made'} ${done._id}.`)
}

/** @throws {CommandFailure} when several have the name */
async function find(api: Api, { _id, name }: PipelineFile, owner: Owner): Promise<Pipeline | undefined> {
  const all: Pipeline[] = await api.all('/admin/v1/pipelines', owner)
  const same = all.find((pipeline) => pipeline._id === _id)
  if (same) return same
  const named = all.filter((pipeline) => pipeline.name === name)
  if (named.length <= 1) return named[0]
  const ids = named.map(({ _id }) => _id).join(', ')
  throw new CommandFailure(
    `Several pipelines have the name “${printable(name)}”: put the _id of one into the file (${ids}).`,
  )
}

function planOfNew({ name, is_default = false, stages }: PipelineFile, owner: Owner) {
  const { lines } = planOf({ name, is_default, stages }, { name, is_default: false, stages: [] })
  const made = stages.map(({ name, rules = {} }) => ({ name, rules }))
  return { lines, body: { ...owner, name, is_default, stages: made } }
}

function coloured(line: string): string {
  const colour = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'yellow'
  return paint(colour, line, process.stderr)
}
