import { type Command, Option } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { printJson, remark, table } from '../terminal/terminal.ts'
import { EXAMPLE_ID, printTool, stateOf, type Tool, toolPath } from './tool.ts'

type Options = TokenOptions & { json?: boolean; state?: 'on' | 'off'; search?: string }

export function addToolLookCommands(tools: Command): void {
  const list = withTokenOptions(tools.command('list'))
    .summary('list the tools')
    .description('Lists the tools of the project, newest first.')
    .addOption(new Option('--state <state>', 'those that are on or off').choices(['on', 'off']))
    .option('--search <text>', 'those whose name contains this text')
    .option('--json', 'print JSON')
    .action(listTools)
  withExamples(list, ['parley tools list', "parley tools list --state off --json | jq -r '.[]._id'"])

  const show = withTokenOptions(tools.command('show'))
    .summary('show a tool')
    .description('Shows a tool. The values of its headers are never shown.')
    .argument('<id>', 'the tool (parley tools list)')
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options) => {
      printTool(await connectAsProject(options).call('GET', toolPath(id)), options)
    })
  withExamples(show, [`parley tools show ${EXAMPLE_ID}`, `parley tools show ${EXAMPLE_ID} --json | jq .parameters`])
}

async function listTools({ state, search, json, ...options }: Options): Promise<void> {
  const is_active = state && String(state === 'on')
  const all: Tool[] = await connectAsProject(options).all('/v1/agents/tools', { is_active, search })
  if (json) return printJson(all)
  if (all.length === 0) {
    return remark(state || search ? 'No tool is like that.' : 'There are no tools: `parley tools create` makes one.')
  }
  const rows = all.map((tool) => [tool._id, stateOf(tool), tool.name, `${tool.method} ${tool.url}`])
  process.stdout.write(table(['tool', 'state', 'name', 'calls'], rows, 3))
}
