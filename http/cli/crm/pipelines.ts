import type { Command } from 'commander'
import type { Pipeline } from '../records/generated.ts'
import { addResource, gather, type Json, type Options, optionFields, type Resource } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { addApplyCommand, addExportCommand } from './pipeline_file.ts'
import { readPipeline } from './pipeline_plan.ts'
import { parseStage, spellRules } from './spelling.ts'

type NewOptions = Options & { name?: string; stage?: Json[]; file?: string; default?: boolean }

const pipelines: Resource<Pipeline> = {
  name: 'pipelines',
  one: 'a pipeline',
  many: 'pipelines',
  owner: 'project',
  searched: 'name',
  headings: ['id', 'default', 'stages', 'name'],
  row: ({ _id, name, is_default, stages }) => [
    _id,
    is_default ? 'yes' : '',
    stages.map((stage) => stage.name).join(' → '),
    name,
  ],
  flexible: 2,
  lines: ({ _id, name, is_default, stages, project_id, created_at }) => [
    ['pipeline', _id],
    ['name', name],
    ['default', is_default ? 'yes' : 'no'],
    ['project', project_id],
    ['made', created_at],
    ...stages.map((stage, index): [string, string] => {
      const rules = spellRules(stage.rules)
      return [index === 0 ? 'stages' : '', `${stage._id}  ${stage.name}${rules && `:${rules}`}`]
    }),
  ],
  create: {
    description:
      'Creates a pipeline. Stages are given in their order, each with the rules that run when a ticket is moved ' +
      'into it: require_fields, set_fields.<field>, assign_to, add_tag_ids and close_with, separated by semicolons.',
    add: (command) =>
      command
        .option('--name <name>', 'its name; required without --file')
        .option(
          '--stage <stage>',
          'name, or name:rule=value;…; several times; required without --file',
          gather(parseStage),
        )
        .option('--file <file>', 'the whole pipeline as a file of parley pipelines export; - reads standard input')
        .option('--default', 'open new tickets in it from now on'),
    async body({ name, stage, file, default: is_default }: NewOptions) {
      const extra = is_default ? { is_default } : {}
      if (file) {
        const read = await readPipeline(file)
        const stages = read.stages.map(({ name, rules }) => ({ name, rules }))
        return { name: name ?? read.name, is_default: read.is_default ?? false, stages, ...extra }
      }
      if (name && stage) return { name, stages: stage, ...extra }
      throw new CommandFailure('Say what it is, with --name and at least one --stage, or with --file.', 2)
    },
    examples: [
      'parley pipelines create --name Sales --stage Lead --stage "Offer:require_fields=amount,category" \\',
      '  --stage "Won:close_with=won;set_fields.amount_status=confirmed" --stage "Lost:close_with=lost"',
      'parley pipelines create --file pipeline.json --project 66f2a0c1d4e5f60718293a4b',
    ],
  },
  update: {
    description: 'Renames a pipeline or makes it the default. Use `parley pipelines apply` to change its stages.',
    add: (command) =>
      command.option('--name <name>', 'its new name').option('--default', 'open new tickets in it from now on'),
    body: (options) => optionFields(options, { name: 'name', default: 'is_default' }),
    examples: ['parley pipelines update 66f2a0c1d4e5f60718293a4b --default'],
  },
  deletion: 'The default pipeline and pipelines with open tickets cannot be deleted.',
  examples: {
    list: ['parley pipelines list', "parley pipelines list --json | jq '.[].stages'"],
    show: ['parley pipelines show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley pipelines delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addPipelineCommands(program: Command): void {
  const description = 'Manages the pipelines for the tickets of a project.'
  const group = addResource(program, pipelines, 'what tickets go through: stages and their rules', description)
  addExportCommand(group, pipelines)
  addApplyCommand(group, pipelines)
}
