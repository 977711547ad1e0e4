/** `parley knowledge create`, `update`, `move` and `delete`. */
import { type Command, Option } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { readFileOf } from '../options/read_file.ts'
import { optionFields } from '../records/resource.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine } from '../terminal/terminal.ts'
import {
  connectToProject,
  NODES,
  type Node,
  nodePath,
  type Options,
  type ProjectOptions,
  printNode,
  withProject,
} from './node.ts'

type Text = { name?: string; file?: string; content?: string; language?: string; sourceUrl?: string }
type CreateOptions = ProjectOptions & Text & { folder?: boolean; in?: string }

const ID = ['<id>', 'its id (parley knowledge tree)'] as const

export function addChangeCommands(knowledge: Command): void {
  const create = withText(withProject(knowledge.command('create')))
    .summary('make a document or a folder')
    .description('Creates a document from a text or a file, or creates a folder.')
    .requiredOption('--name <name>', 'its name')
    .option('--folder', 'make a folder')
    .option('--in <id>', 'the folder to put it in (default: the top)')
    .option('--json', 'print JSON')
    .action(createNode)
  withExamples(create, [
    'parley knowledge create --folder --name Policies',
    'parley knowledge create --name Returns --content "Goods may be returned within 30 days."',
    'echo "# Shipping" | parley knowledge create --name Shipping --language en --file -',
  ])

  const update = withText(withOperatorOptions(knowledge.command('update')))
    .summary('change a document, or a name')
    .description('Changes the name of a folder or document, or the text of a document, which is then indexed again.')
    .argument(...ID)
    .option('--name <name>', 'its new name')
    .option('--json', 'print JSON')
    .action(updateNode)
  withExamples(update, [
    'parley knowledge update 66f2a0c1d4e5f60718293a4b --name "Returns and refunds"',
    'echo "# Returns" | parley knowledge update 66f2a0c1d4e5f60718293a4b --file -',
  ])

  const move = withOperatorOptions(knowledge.command('move'))
    .summary('put a node into another folder')
    .description('Puts a document, or a folder with all below it, into another folder.')
    .argument(...ID)
    .requiredOption('--to <id>', 'the folder, or top')
    .option('--json', 'print JSON')
    .action(moveNode)
  withExamples(move, ['parley knowledge move 66f2a0c1d4e5f60718293a4b --to top'])

  const remove = withYes(withOperatorOptions(knowledge.command('delete')))
    .summary('delete a document or a folder')
    .description('Deletes a document, or a folder with all below it, after a question.')
    .argument(...ID)
    .option('--json', 'print JSON')
    .action(deleteNode)
  withExamples(remove, ['parley knowledge delete 66f2a0c1d4e5f60718293a4b --yes'])
}

function withText(command: Command): Command {
  return command
    .addOption(new Option('--file <path>', 'a file with the text, in UTF-8; - for standard input').conflicts('content'))
    .option('--content <text>', 'the text')
    .option('--language <code>', 'its language, such as es; by default it is detected')
    .option('--source-url <url>', 'where the text comes from')
}

async function textOf({ file, ...options }: Text): Promise<Record<string, unknown>> {
  const names = { name: 'name', content: 'content', language: 'language', sourceUrl: 'source_url' }
  const content = file === undefined ? undefined : new TextDecoder().decode(await readFileOf(file))
  return { ...optionFields(options, names), ...(content !== undefined && { content }) }
}

async function createNode({ folder, in: parent_id, ...options }: CreateOptions): Promise<void> {
  const { api, project_id } = connectToProject(options)
  const place = { project_id, type: folder ? 'folder' : 'document', ...(parent_id && { parent_id }) }
  printNode(await api.call('POST', NODES, { ...place, ...(await textOf(options)) }), options)
}

async function updateNode(id: string, options: Options & Text): Promise<void> {
  const body = await textOf(options)
  if (Object.keys(body).length === 0) {
    throw new CommandFailure('Say what to change: parley knowledge update --help lists what there is.', 2)
  }
  printNode(await connectAsOperator(options).api.call('PATCH', nodePath(id), body), options)
}

async function moveNode(id: string, { to, ...options }: Options & { to: string }): Promise<void> {
  const body = { parent_id: to === 'top' ? null : to }
  printNode(await connectAsOperator(options).api.call('PATCH', nodePath(id), body), options)
}

async function deleteNode(id: string, options: Options & { yes?: boolean }): Promise<void> {
  const { api } = connectAsOperator(options)
  if (!options.yes) {
    const { type, name }: Node = await api.call('GET', nodePath(id))
    const what = `the ${type} “${printable(name)}”${type === 'folder' ? ' and all below it' : ''}`
    await mustAgree({ question: `Delete ${what} (${id})?`, refusal: 'Nothing is deleted' })
  }
  await api.call('DELETE', nodePath(id))
  if (options.json) printJson({ deleted: id })
  else printLine(`Deleted ${id}.`)
}
