import type { Command } from 'commander'
import type { Tag } from '../records/generated.ts'
import { addResource, type Options, optionFields, type Resource } from '../records/resource.ts'
import { cleared } from './spelling.ts'

const body = ({ name, ...options }: Options) => ({
  ...(name !== undefined && { name }),
  ...cleared(optionFields(options, { color: 'color' }), 'none', null),
})
const color = (command: Command) => command.option('--color <colour>', 'such as #d73a4a, or none')

const tags: Resource<Tag> = {
  name: 'tags',
  one: 'a tag',
  many: 'tags',
  owner: 'project',
  searched: 'name',
  headings: ['id', 'colour', 'name'],
  row: ({ _id, name, color }) => [_id, color ?? '', name],
  flexible: 2,
  lines: ({ _id, name, color, project_id, created_at }) => [
    ['tag', _id],
    ['name', name],
    ['colour', color ?? 'none'],
    ['project', project_id],
    ['made', created_at],
  ],
  create: {
    description: 'Creates a tag for the tickets of a project.',
    add: (command) => color(command.requiredOption('--name <name>', 'its name, which no other tag of the project has')),
    body,
    examples: ['parley tags create --name Urgent --color "#d73a4a"'],
  },
  update: {
    description: 'Changes a tag, on all tickets that have it.',
    add: (command) => color(command.option('--name <name>', 'its new name')),
    body,
    examples: ['parley tags update 66f2a0c1d4e5f60718293a4b --name Hot --color none'],
  },
  deletion: 'It disappears from all tickets. A tag that rules of a stage add cannot be deleted.',
  examples: {
    list: ['parley tags list', "parley tags list --json | jq -r '.[].name'"],
    show: ['parley tags show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley tags delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addTagCommands(program: Command): void {
  addResource(program, tags, 'the tags of tickets', 'Manages the tags for the tickets of a project.')
}
