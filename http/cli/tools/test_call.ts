import { type Command, InvalidArgumentError, Option } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { parseExactJson } from '../options/exact_json.ts'
import { withExamples } from '../options/examples.ts'
import { readJsonOf } from '../options/read_file.ts'
import { shortTime } from '../options/time_option.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printable, printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { EXAMPLE_ID, toolPath } from './tool.ts'

type ToolCall = {
  _id: string
  succeeded: boolean
  status_code: number | null
  duration_ms: number
  error: string | null
  response: string | null
  is_truncated: boolean
  created_at: string
}
type Options = TokenOptions & { json?: boolean; argument?: [string, unknown][]; arguments?: string; limit?: string }

export function addToolTestCommands(tools: Command): void {
  const test = withTokenOptions(tools.command('test'))
    .summary('call a tool once')
    .description(
      'Calls a tool once with the given arguments, even when it is switched off, and shows the response. Ends with 1 ' +
        'when the tool failed.',
    )
    .argument('<id>', 'the tool (parley tools list)')
    .option('--argument <pair>', 'an argument, such as number=A-1 or count=2; may be repeated', parseArgument)
    .addOption(
      new Option('--arguments <file>', 'all arguments as a JSON object; - reads standard input').conflicts('argument'),
    )
    .option('--json', 'print JSON')
    .action(testTool)
  withExamples(test, [
    `parley tools test ${EXAMPLE_ID} --argument number=A-1`,
    `echo '{"number":"A-1"}' | parley tools test ${EXAMPLE_ID} --arguments - --json | jq .duration_ms`,
  ])

  const calls = withTokenOptions(tools.command('calls'))
    .summary('list the test calls of a tool')
    .description('Lists the newest test calls of a tool. They are kept as long as events.')
    .argument('<id>', 'the tool (parley tools list)')
    .option('--limit <number>', 'how many, 1 to 200', '50')
    .option('--json', 'print JSON')
    .action(listCalls)
  withExamples(calls, [`parley tools calls ${EXAMPLE_ID}`, `parley tools calls ${EXAMPLE_ID} --limit 1 --json`])
}

async function testTool(id: string, options: Options): Promise<void> {
  const values =
    options.arguments === undefined ? Object.fromEntries(options.argument ?? []) : await readJsonOf(options.arguments)
  const call: ToolCall = await connectAsProject(options).call('POST', `${toolPath(id)}/test`, { arguments: values })
  if (options.json) printJson(call)
  else printCall(call)
  // The result above says all there is to say.
  if (!call.succeeded) throw new CommandFailure('')
}

function printCall(call: ToolCall): void {
  printLine(`${paint(call.succeeded ? 'green' : 'red', resultOf(call))} in ${call.duration_ms} ms`)
  if (call.response) printLine(printable(call.response))
  if (call.is_truncated) remark('The response was cut.')
}

async function listCalls(id: string, options: Options): Promise<void> {
  const query = new URLSearchParams({ limit: options.limit ?? '50' })
  const { data }: { data: ToolCall[] } = await connectAsProject(options).call('GET', `${toolPath(id)}/calls?${query}`)
  if (options.json) return printJson(data)
  if (data.length === 0) return remark('The tool was not tested yet: `parley tools test` does it.')
  const rows = data.map((call) => [
    shortTime(call.created_at),
    resultOf(call),
    `${call.duration_ms} ms`,
    call.response ?? '',
  ])
  process.stdout.write(table(['at (UTC)', 'result', 'took', 'response'], rows, 3))
}

function resultOf({ succeeded, status_code, error }: ToolCall): string {
  return succeeded ? `succeeded (${status_code})` : `failed: ${error}`
}

/** `name=value`; a value that is JSON counts as such, but for a number that would be rounded. */
function parseArgument(text: string, before: [string, unknown][] = []): [string, unknown][] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be a name and a value, such as number=A-1.')
  return [...before, [text.slice(0, at), readValue(text.slice(at + 1))]]
}

function readValue(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}
