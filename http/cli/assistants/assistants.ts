import type { Command } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { cleared } from '../crm/spelling.ts'
import { withExamples } from '../options/examples.ts'
import { limitsParser, spellLimits } from '../options/limits.ts'
import { parseList } from '../options/list.ts'
import type { AttachedBlock, OperatorAssistant } from '../records/generated.ts'
import {
  addResource,
  type Json,
  type Options,
  optionFields,
  type Resource,
  recordPath,
  tell,
} from '../records/resource.ts'
import { printable, printJson, printLine, printText, remark, table } from '../terminal/terminal.ts'
import { addAtWorkCommands } from './at_work.ts'
import { addReply } from './reply.ts'
import { parseHandOver, parseOrder, spellHandOver } from './spelling.ts'
import { addSummarize } from './summarize.ts'
import { addTest } from './test.ts'
import { addTestRuns, addTestSets } from './test_sets.ts'

const EXAMPLE = '66f2a0c1d4e5f60718293a4b'

const BUDGET = ['conversation_tokens', 'conversation_cost', 'day_tokens', 'day_cost']

const CLEARABLE = {
  ...{ description: 'description', avatarUrl: 'avatar_url', avatarEmoji: 'avatar_emoji' },
  ...{ handOver: 'hand_over', budget: 'budget' },
}

const body = (options: Options): Json => ({
  ...optionFields(options, {
    ...{ name: 'name', model: 'model', knowledge: 'knowledge_node_ids', sets: 'settable_ticket_fields' },
  }),
  ...cleared(optionFields(options, CLEARABLE), 'none', null),
})

const fields = (command: Command) =>
  command
    .option('--description <text>', 'its purpose, or none')
    .option('--model <name>', 'one of the models that the server offers (PARLEY_ASSISTANT_MODELS)')
    .option('--avatar-url <url>', 'an https:// address, or none')
    .option('--avatar-emoji <emoji>', 'at most 16 characters, or none')
    .option('--knowledge <list>', 'ids of knowledge nodes separated by commas, or none', (text) =>
      text === 'none' ? [] : parseList(text),
    )
    .option(
      '--sets <list>',
      'fields of tickets that it may set: priority, category, tag_ids, custom_fields.<key>; or none',
      (text) => (text === 'none' ? [] : parseList(text)),
    )
    .option(
      '--hand-over <changes>',
      'of a ticket that it gives to people: assigned_to=<id>,stage_id=<id>,tag_id=<id>; or none',
      parseHandOver,
    )
    .option(
      '--budget <limits>',
      `what it may spend: ${BUDGET.map((name) => `${name}=<number>`).join(',')}; or none`,
      limitsParser(BUDGET),
    )

const assistants: Resource<OperatorAssistant> = {
  name: 'assistants',
  one: 'an assistant',
  many: 'assistants',
  owner: 'project',
  headings: ['id', 'state', 'blocks', 'model', 'name'],
  row: ({ _id, is_active, blocks, model, name }) => [
    _id,
    is_active ? 'active' : 'inactive',
    String(blocks.length),
    model,
    name,
  ],
  flexible: 4,
  lines: (assistant) => [
    ['assistant', assistant._id],
    ['name', assistant.name],
    ['state', assistant.is_active ? 'active' : 'inactive'],
    ['description', assistant.description ?? 'none'],
    ['model', assistant.model],
    ['avatar', assistant.avatar_url ?? assistant.avatar_emoji ?? 'none'],
    ['knowledge', assistant.knowledge_node_ids.join(', ') || 'none'],
    ['sets', assistant.settable_ticket_fields.join(', ') || 'none'],
    ['hand-over', spellHandOver(assistant.hand_over)],
    ['budget', spellLimits(assistant.budget)],
    ['project', assistant.project_id],
    ['made', assistant.created_at],
    ...assistant.blocks.map(({ _id, type, name }, index): [string, string] => [
      index === 0 ? 'blocks' : '',
      `${_id}  ${type}: ${name}`,
    ]),
  ],
  filter: {
    add: (command) =>
      command
        .option('--search <text>', 'only those whose name contains it')
        .option('--model <name>', 'only those with this model')
        .option('--active', 'only active ones')
        .option('--inactive', 'only inactive ones'),
    query: ({ active, inactive, ...options }) => ({
      ...optionFields(options, { search: 'search', model: 'model' }),
      ...(active !== inactive && { is_active: String(active === true) }),
    }),
  },
  create: {
    description:
      'Creates an assistant, with an empty personification block and an empty response policy. It is active.',
    add: (command) => fields(command.requiredOption('--name <name>', 'its name')),
    body,
    examples: ['parley assistants create --name Ana --description "Answers questions about orders" --avatar-emoji 🙂'],
  },
  update: {
    description: 'Changes an assistant.',
    add: (command) => fields(command.option('--name <name>', 'its new name')),
    body,
    examples: [
      `parley assistants update ${EXAMPLE} --name Bea --description none`,
      `parley assistants update ${EXAMPLE} --budget conversation_tokens=50000,day_cost=5`,
    ],
  },
  examples: {
    list: ['parley assistants list --active', "parley assistants list --json | jq -r '.[].name'"],
    show: [`parley assistants show ${EXAMPLE}`],
  },
}

/** `parley assistants`. */
export function addAssistantCommands(program: Command): void {
  const description = 'Manages the AI assistants of a project. Assistants are switched off, not deleted.'
  const group = addResource(program, assistants, 'the AI assistants of a project', description)
  addSwitch(group, 'archive', false, 'Switches an assistant off.')
  addSwitch(group, 'unarchive', true, 'Switches an assistant on again.')
  addPrompt(group)
  addBlocks(group)
  addAttach(group)
  addDetach(group)
  addAtWorkCommands(group)
  addReply(group)
  addTest(group)
  addTestSets(group)
  addTestRuns(group)
  addSummarize(group)
}

const single = (group: Command, verb: string) =>
  withOperatorOptions(group.command(verb)).argument('<id>', 'its id (parley assistants list)')

function addSwitch(group: Command, verb: string, is_active: boolean, description: string): void {
  const command = single(group, verb)
    .summary(is_active ? 'switch an assistant on' : 'switch an assistant off')
    .description(description)
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options) => {
      const { api } = connectAsOperator(options)
      tell(assistants, options, await api.call('PATCH', recordPath(assistants, id), { is_active }))
    })
  withExamples(command, [`parley assistants ${verb} ${EXAMPLE}`])
}

function addPrompt(group: Command): void {
  const command = single(group, 'prompt')
    .summary('print the prompt of an assistant')
    .description('Prints the text that the blocks of an assistant are rendered into, archived blocks included.')
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options) => {
      const { api } = connectAsOperator(options)
      const answer = await api.call<{ prompt: string }>('GET', `${recordPath(assistants, id)}/prompt`)
      if (options.json) return printJson(answer)
      if (answer.prompt === '') return remark('The prompt is empty: no block of the assistant has content.')
      printText(answer.prompt)
    })
  withExamples(command, [`parley assistants prompt ${EXAMPLE}`])
}

function addBlocks(group: Command): void {
  const command = single(group, 'blocks')
    .summary('list the blocks of an assistant')
    .description('Lists the blocks of an assistant in the order of its prompt.')
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options) => {
      const blocks: AttachedBlock[] = await connectAsOperator(options).api.all(`${recordPath(assistants, id)}/blocks`)
      if (options.json) return printJson(blocks)
      if (blocks.length === 0) return remark('The assistant has no blocks.')
      const rows = blocks.map(({ _id, order, type, name, is_archived }) => [
        _id,
        String(order),
        type,
        is_archived ? `${name} (archived)` : name,
      ])
      process.stdout.write(table(['id', 'order', 'type', 'name'], rows, 3))
    })
  withExamples(command, [`parley assistants blocks ${EXAMPLE}`])
}

function addAttach(group: Command): void {
  const command = single(group, 'attach')
    .argument('<block>', 'id of a block of the same project (parley blocks list)')
    .summary('attach a block to an assistant')
    .description('Attaches a block to an assistant, or moves one that is attached.')
    .option('--order <number>', 'place in the prompt, from 0 (default: the end)', parseOrder)
    .option('--json', 'print JSON')
    .action(async (id: string, block_id: string, options: Options) => {
      const body = { block_id, ...optionFields(options, { order: 'order' }) }
      const path = `${recordPath(assistants, id)}/blocks`
      const block: AttachedBlock = await connectAsOperator(options).api.call('POST', path, body)
      if (options.json) printJson(block)
      else printLine(`Attached ${block._id} (${block.type}: ${printable(block.name)}) at place ${block.order}.`)
    })
  withExamples(command, [`parley assistants attach ${EXAMPLE} 66f2a0c1d4e5f60718293a4c --order 0`])
}

function addDetach(group: Command): void {
  const command = single(group, 'detach')
    .argument('<block>', 'id of the block (parley assistants blocks)')
    .summary('take a block off an assistant')
    .description('Takes a block off an assistant. The block stays in the catalogue.')
    .option('--json', 'print JSON')
    .action(async (id: string, block_id: string, options: Options) => {
      const path = `${recordPath(assistants, id)}/blocks/${encodeURIComponent(block_id)}`
      await connectAsOperator(options).api.call('DELETE', path)
      if (options.json) printJson({ detached: block_id })
      else printLine(`Detached ${block_id}.`)
    })
  withExamples(command, [`parley assistants detach ${EXAMPLE} 66f2a0c1d4e5f60718293a4c`])
}
