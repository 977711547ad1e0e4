import type { Command } from 'commander'
import { type ContentOptions, contentOf, withContent } from '../records/content_option.ts'
import type { OperatorCannedResponse } from '../records/generated.ts'
import { addResource, optionFields, type Resource } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { cleared } from './spelling.ts'

const fields = async (options: ContentOptions) => {
  const content = await contentOf(options)
  return {
    ...optionFields(options, { shortcut: 'shortcut' }),
    ...cleared(optionFields(options, { title: 'title' }), 'none', null),
    ...(content !== undefined && { content }),
  }
}

const withFields = (command: Command) =>
  withContent(command.option('--title <title>', 'its title for agents, or none')).addHelpText(
    'after',
    '\nAgents’ pages fill {{contact.name}}, {{contact.first_name}}, {{agent.name}} and others (docs/inbox.md).',
  )

const cannedResponses: Resource<OperatorCannedResponse> = {
  name: 'canned-responses',
  one: 'a canned response',
  many: 'canned responses',
  owner: 'project',
  searched: 'shortcut or title',
  headings: ['id', 'shortcut', 'title', 'text'],
  row: ({ _id, shortcut, title, content }) => [_id, `/${shortcut}`, title ?? '', content.replaceAll(/\s+/g, ' ')],
  flexible: 3,
  lines: ({ _id, shortcut, title, content, project_id, created_at }) => [
    ['canned response', _id],
    ['shortcut', `/${shortcut}`],
    ['title', title ?? 'none'],
    ['text', content],
    ['project', project_id],
    ['made', created_at],
  ],
  create: {
    description: 'Creates a text that all agents of a project insert by its shortcut.',
    add: (command) =>
      withFields(
        command.requiredOption(
          '--shortcut <word>',
          'what agents type after a slash; no other one of the project has it',
        ),
      ),
    async body(options) {
      const body = await fields(options)
      if (body.content === undefined) throw new CommandFailure('Give the text with --content or with --file.', 2)
      return body
    },
    examples: [
      'parley canned-responses create --shortcut thanks --content "Thank you, {{contact.first_name}}!"',
      'printf "Dear {{contact.name}},\\nit is on its way.\\n" | parley canned-responses create --shortcut sent --file -',
    ],
  },
  update: {
    description: 'Changes a canned response. Agents see it at once.',
    add: (command) => withFields(command.option('--shortcut <word>', 'what agents type after a slash')),
    body: fields,
    examples: ['parley canned-responses update 66f2a0c1d4e5f60718293a4b --title Thanks'],
  },
  deletion: 'Texts that agents have inserted stay.',
  examples: {
    list: ['parley canned-responses list', "parley canned-responses list --json | jq -r '.[].shortcut'"],
    show: ['parley canned-responses show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley canned-responses delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addCannedResponseCommands(program: Command): void {
  const description =
    'Manages the texts that all agents of a project insert by a shortcut. Those of single agents are not shown.'
  addResource(program, cannedResponses, 'the canned responses of agents', description)
}
