/** `parley knowledge tree`, `show` and `search`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { paint, printable, printJson, printLine, remark, table, wrap } from '../terminal/terminal.ts'
import {
  connectToProject,
  type Node,
  nodePath,
  type Options,
  type ProjectOptions,
  printNode,
  withProject,
} from './node.ts'

type TreeNode = Node & { children?: TreeNode[] | null; next_cursor?: string | null }
type Hit = { node_id: string; name: string; snippet: string; score: number }
type SearchOptions = ProjectOptions & { limit: number; in?: string[] }

export function addLookCommands(knowledge: Command): void {
  const tree = withProject(knowledge.command('tree'))
    .summary('show the folders and documents')
    .description('Shows the folders and documents of a project, by name.')
    .option('--in <id>', 'only what is below this folder')
    .option('--json', 'print JSON')
    .action(showTree)
  withExamples(tree, ['parley knowledge tree', "parley knowledge tree --json | jq -r '.[].name'"])

  const show = withOperatorOptions(knowledge.command('show'))
    .summary('show a folder or a document')
    .description('Shows a folder, or a document with its text.')
    .argument('<id>', 'its id (parley knowledge tree)')
    .option('--json', 'print JSON')
    .action(showNode)
  withExamples(show, [
    'parley knowledge show 66f2a0c1d4e5f60718293a4b',
    'parley knowledge show 66f2a0c1d4e5f60718293a4b --json | jq -r .content',
  ])

  const search = withProject(knowledge.command('search'))
    .summary('search the documents')
    .description('Searches the documents of a project and prints the best ones, each with the part that matches.')
    .argument('<words...>', 'the words; the last one may be unfinished')
    .addOption(new Option('--limit <number>', 'maximum number').default(10, '10').argParser(parseLimit))
    .option('--in <id...>', 'only in these folders and documents')
    .option('--json', 'print JSON')
    .action(searchDocuments)
  withExamples(search, [
    'parley knowledge search return policy',
    "parley knowledge search --json refund | jq '.[0].score'",
  ])
}

function parseLimit(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 50) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 to 50.')
}

async function showTree(options: ProjectOptions & { in?: string }): Promise<void> {
  const { api, project_id } = connectToProject(options)
  const nodes = await readTree(api, project_id, options.in ?? null)
  if (options.json) return printJson(nodes)
  if (nodes.length === 0) return remark('There are no documents.')
  process.stdout.write(table(['id', 'index', 'name'], rowsOf(nodes, 0), 2))
}

/** All nodes, with those that an answer leaves out because of its size. */
async function readTree(api: Api, project_id: string, parent_id: string | null): Promise<TreeNode[]> {
  const nodes: TreeNode[] = []
  let cursor: string | null | undefined
  do {
    const query = new URLSearchParams({
      project_id,
      ...(parent_id !== null && { parent_id }),
      ...(cursor && { cursor }),
    })
    const page: { data: TreeNode[]; next_cursor: string | null } = await api.call(
      'GET',
      `/admin/v1/knowledge/tree?${query}`,
    )
    nodes.push(...page.data)
    cursor = page.next_cursor
  } while (cursor)
  await complete(api, project_id, nodes)
  return nodes
}

async function complete(api: Api, project_id: string, nodes: TreeNode[]): Promise<void> {
  for (const node of nodes) {
    if (node.children === undefined) continue
    const is_whole = node.children !== null && node.next_cursor === null
    if (is_whole) await complete(api, project_id, node.children!)
    else node.children = await readTree(api, project_id, node._id)
    delete node.next_cursor
  }
}

function rowsOf(nodes: TreeNode[], level: number): string[][] {
  return nodes.flatMap(({ _id, name, type, index_status, children }) => {
    const line = `${'│ '.repeat(level)}${printable(name)}${type === 'folder' ? '/' : ''}`
    return [[_id, type === 'folder' ? '' : index_status, line], ...rowsOf(children ?? [], level + 1)]
  })
}

async function showNode(id: string, options: Options): Promise<void> {
  const node: Node = await connectAsOperator(options).api.call('GET', nodePath(id))
  printNode(node, options)
  if (options.json || node.type === 'folder') return
  printLine('')
  for (const line of (node.content ?? '').split('\n')) printLine(`    ${printable(line)}`.trimEnd())
}

async function searchDocuments(words: string[], { limit, in: node_ids, ...options }: SearchOptions): Promise<void> {
  const { api, project_id } = connectToProject(options)
  const body = { project_id, query: words.join(' '), limit, ...(node_ids && { node_ids }) }
  const { data }: { data: Hit[] } = await api.call('POST', '/admin/v1/knowledge/search', body)
  if (options.json) return printJson(data)
  if (data.length === 0) return remark('No document is like that.')
  for (const { node_id, name, snippet, score } of data) {
    printLine(`${node_id}  ${paint('bold', printable(name))}  ${paint('dim', score.toFixed(2))}`)
    if (snippet) printLine(wrap(printable(snippet), 100, 4))
  }
}
