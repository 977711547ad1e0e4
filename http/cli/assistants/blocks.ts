import { type Command, Option } from 'commander'
import type { ContentItem } from '../../../actors/mod.ts'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { type ContentOptions, contentOf, withContent } from '../records/content_option.ts'
import type { BlockVersion, BlockVersionSummary, OperatorBlock } from '../records/generated.ts'
import { addResource, type Options, optionFields, type Resource, recordPath, tell } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printJson, printLine, printText, table } from '../terminal/terminal.ts'
import { blockFamilies, blockTypeNames } from './block_choices.ts'

const EXAMPLE = '66f2a0c1d4e5f60718293a4b'

const blocks: Resource<OperatorBlock> = {
  name: 'blocks',
  one: 'a block',
  many: 'blocks',
  owner: 'project',
  headings: ['id', 'type', 'family', 'name'],
  row: ({ _id, type, family, name, is_archived }) => [_id, type, family, is_archived ? `${name} (archived)` : name],
  flexible: 3,
  lines: ({ _id, name, type, family, is_archived, current_version_id, held_version, project_id, created_at }) => [
    ['block', _id],
    ['name', name],
    ['type', type],
    ['family', family],
    ['archived', is_archived ? 'yes' : 'no'],
    ['version', current_version_id ?? 'none: never saved'],
    ...heldLines(held_version),
    ['project', project_id],
    ['made', created_at],
  ],
  filter: {
    add: (command) =>
      command
        .addOption(new Option('--type <type>', 'only blocks of this type').choices(blockTypeNames))
        .addOption(new Option('--family <family>', 'only blocks of this family').choices(blockFamilies))
        .option('--archived', 'archived ones as well'),
    query: ({ archived, ...options }: Options & { archived?: boolean }) => ({
      ...optionFields(options, { type: 'type', family: 'family' }),
      ...(archived && { include_archived: 'true' }),
    }),
  },
  create: {
    description: 'Creates a block of any type in the catalogue of a project. `parley assistants attach` attaches it.',
    add: (command) =>
      withContent(
        command
          .addOption(new Option('--type <type>', 'its type').choices(blockTypeNames).makeOptionMandatory())
          .requiredOption('--name <name>', 'its name'),
      ),
    async body(options: ContentOptions) {
      const content = await contentOf(options)
      return { ...optionFields(options, { type: 'type', name: 'name' }), ...(content !== undefined && { content }) }
    },
    examples: [
      'parley blocks create --type do_not --name Promises --content "- promise a date"',
      'printf "1. Greet\\n2. Ask\\n" | parley blocks create --type steps --name Greeting --file -',
    ],
  },
  update: {
    description: 'Renames a block. `parley blocks save` changes its content.',
    add: (command) => command.option('--name <name>', 'its new name'),
    body: (options) => optionFields(options, { name: 'name' }),
    examples: [`parley blocks update ${EXAMPLE} --name Welcome`],
  },
  examples: {
    list: ['parley blocks list --family instructions', "parley blocks list --archived --json | jq '.[].name'"],
    show: [`parley blocks show ${EXAMPLE}`],
  },
}

function heldLines(held: OperatorBlock['held_version']): [string, string][] {
  if (held === null) return []
  const { version_id, test_set_id, created_at } = held
  const until = test_set_id === null ? 'until it is released' : `until test set ${test_set_id} passes`
  return [['held', `version ${version_id} of ${created_at}, ${until}`]]
}

/** `parley blocks`. */
export function addBlockCommands(program: Command): void {
  const description =
    'Manages the blocks of instructions in the catalogue of a project. Blocks are archived, not deleted.'
  const group = addResource(program, blocks, 'the instructions that assistants are made of', description)
  addContent(group)
  addSave(group)
  addRelease(group)
  addDiscard(group)
  addVersions(group)
  addArchive(group, 'archive', 'Hides a block from lists. It stays in the prompts that have it.')
  addArchive(group, 'unarchive', 'Shows an archived block again.')
}

/** The description has its two forms in one. */
type Version = Pick<BlockVersion, '_id'> &
  ({ edit_mode: 'free'; content: string } | { edit_mode: 'assisted'; payload: { items: ContentItem[] } })

const single = (group: Command, verb: string) =>
  withOperatorOptions(group.command(verb)).argument('<id>', 'its id (parley blocks list)')

async function textOf(version: Version): Promise<string> {
  if (version.edit_mode === 'free') return version.content
  // A command that prints no block starts sooner without this layer.
  const { renderContent } = await import('../../../actors/mod.ts')
  return renderContent(version.payload.items)
}

function addContent(group: Command): void {
  const command = single(group, 'content')
    .summary('print the content of a block')
    .description('Prints the current content of a block, or that of a version, as text.')
    .option('--version-id <id>', 'a version (parley blocks versions)')
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options & { versionId?: string }) => {
      const { api } = connectAsOperator(options)
      const path = options.versionId ? `versions/${encodeURIComponent(options.versionId)}` : 'content'
      const version: Version = await api.call('GET', `${recordPath(blocks, id)}/${path}`)
      if (options.json) printJson(version)
      else printText(await textOf(version))
    })
  withExamples(command, [`parley blocks content ${EXAMPLE} > block.txt`])
}

function addSave(group: Command): void {
  const command = withContent(single(group, 'save'))
    .summary('save the content of a block')
    .description(
      'Saves the content of a block as a new version. Earlier versions are kept. A version that is held is not used in ' +
        'conversations until it is released; replies, test runs and the playground can try it.',
    )
    .option('--hold', 'do not use the version before its release (parley blocks release)')
    .option('--test-set <id>', 'with --hold: a run of this test set that passes releases it')
    .option('--json', 'print JSON')
    .action(async (id: string, options: ContentOptions & { hold?: true; testSet?: string }) => {
      const { hold, testSet: test_set_id } = options
      if (test_set_id !== undefined && !hold) throw new CommandFailure('--test-set goes with --hold.', 2)
      const content = await contentOf(options)
      if (content === undefined) throw new CommandFailure('Give the text with --content or with --file.', 2)
      const path = `${recordPath(blocks, id)}/content`
      const version: Version = await connectAsOperator(options).api.call('PUT', path, {
        ...{ content, hold, test_set_id },
      })
      if (options.json) printJson(version)
      else printLine(`Saved as version ${version._id}${hold ? ', which is held' : ''}.`)
    })
  withExamples(command, [
    `parley blocks save ${EXAMPLE} --content "1. Greet"`,
    `parley blocks save ${EXAMPLE} --file steps.txt --hold`,
  ])
}

function addRelease(group: Command): void {
  const command = single(group, 'release')
    .summary('use the version that a block holds')
    .description('Makes the version that a block holds its current one.')
    .option('--version-id <id>', 'refuse when another version is held')
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options & { versionId?: string }) => {
      const { api } = connectAsOperator(options)
      const body = { version_id: options.versionId }
      tell(blocks, options, await api.call('POST', `${recordPath(blocks, id)}/held-version/release`, body))
    })
  withExamples(command, [`parley blocks release ${EXAMPLE}`])
}

function addDiscard(group: Command): void {
  const command = single(group, 'discard')
    .summary('hold no version of a block any more')
    .description('Holds no version of a block any more. The version stays in the history (parley blocks versions).')
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options) => {
      await connectAsOperator(options).api.call('DELETE', `${recordPath(blocks, id)}/held-version`)
      if (options.json) printJson({ discarded: id })
      else printLine('The block holds no version any more.')
    })
  withExamples(command, [`parley blocks discard ${EXAMPLE}`])
}

/** Versions in one answer. */
const PAGE = 200

function addVersions(group: Command): void {
  const command = single(group, 'versions')
    .summary('list the versions of a block')
    .description(`Lists the versions of a block, newest first, the last ${PAGE} at most.`)
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options) => {
      const { api } = connectAsOperator(options)
      const path = `${recordPath(blocks, id)}/versions?limit=${PAGE}`
      const { data } = await api.call<{ data: BlockVersionSummary[] }>('GET', path)
      if (options.json) return printJson(data)
      const rows = data.map((version) => [version._id, version.created_at, version.edit_mode])
      process.stdout.write(table(['id', 'saved', 'mode'], rows, 2))
    })
  withExamples(command, [`parley blocks versions ${EXAMPLE}`])
}

function addArchive(group: Command, verb: 'archive' | 'unarchive', description: string): void {
  const is_archived = verb === 'archive'
  const command = single(group, verb)
    .summary(is_archived ? 'hide a block from lists' : 'show an archived block again')
    .description(description)
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options) => {
      const { api } = connectAsOperator(options)
      tell(blocks, options, await api.call('PATCH', recordPath(blocks, id), { is_archived }))
    })
  withExamples(command, [`parley blocks ${verb} ${EXAMPLE}`])
}
