import { type Command, InvalidArgumentError, Option } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { readFileOf, readJsonOf } from '../options/read_file.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine } from '../terminal/terminal.ts'
import { EXAMPLE_ID, printTool, type Tool, toolPath } from './tool.ts'

type Header = [name: string, value: string]

type Fields = {
  name?: string
  description?: string
  url?: string
  method?: string
  header?: Header[]
  headerFile?: string
  parameters?: string
  timeout?: number
  on?: boolean
  off?: boolean
}
type Options = TokenOptions & Fields & { json?: boolean }

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function addToolChangeCommands(tools: Command): void {
  const create = withFields(withTokenOptions(tools.command('create')))
    .summary('create a tool')
    .description('Creates a tool. Its parameters are a JSON Schema in a file.')
    .option('--off', 'create it switched off')
    .action(async (options: Options) => {
      for (const name of ['name', 'url'] as const) {
        if (options[name] === undefined) throw new CommandFailure(`--${name} is missing.`, 2)
      }
      const body = await bodyOf(options)
      printTool(await connectAsProject(options).call('POST', '/v1/agents/tools', body), options)
    })
  withExamples(create, [
    'parley tools create --name "Order status" --url https://example.com/tools/order \\\n  --description "Finds the status of an order by its number." --header "X-Shop: 2"',
    `printf 'Authorization: Bearer %s\\n' "$KEY" |\n  parley tools create --name "Order status" --url https://example.com/tools/order --header-file -`,
    `echo '{"type":"object","properties":{"number":{"type":"string"}},"required":["number"]}' |\n  parley tools create --name "Order status" --url https://example.com/tools/order --parameters -`,
  ])

  const update = withFields(withTokenOptions(tools.command('update')))
    .summary('change a tool, switch it off or on')
    .description(
      'Changes the given fields of a tool. Headers are replaced as a whole; the value [redacted] keeps the present one.',
    )
    .argument('<id>', 'the tool (parley tools list)')
    .addOption(new Option('--on', 'let agents call it').conflicts('off'))
    .option('--off', 'keep agents from calling it')
    .action(async (id: string, options: Options) => {
      const body = await bodyOf(options)
      if (Object.keys(body).length === 0) {
        throw new CommandFailure('Say what to change: parley tools update --help lists what there is.', 2)
      }
      printTool(await connectAsProject(options).call('PATCH', toolPath(id), body), options)
    })
  withExamples(update, [
    `parley tools update ${EXAMPLE_ID} --off`,
    `parley tools update ${EXAMPLE_ID} --header "Authorization: [redacted]" --header "X-Shop: 2"`,
  ])

  const remove = withYes(withTokenOptions(tools.command('delete')))
    .summary('delete a tool')
    .description('Deletes a tool for good, after a question. A tool that an agent holds is not deleted.')
    .argument('<id>', 'the tool (parley tools list)')
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options & { yes?: boolean }) => {
      const api = connectAsProject(options)
      if (!options.yes) {
        const { name } = await api.call<Tool>('GET', toolPath(id))
        await mustAgree({ question: `Delete the tool “${printable(name)}” (${id})?`, refusal: 'Nothing is deleted' })
      }
      await api.call('DELETE', toolPath(id))
      if (options.json) printJson({ deleted: id })
      else printLine(`Deleted ${id}.`)
    })
  withExamples(remove, [`parley tools delete ${EXAMPLE_ID} --yes`])
}

function withFields(command: Command): Command {
  return command
    .option('--name <name>', 'its name')
    .option('--url <url>', 'address of the webhook')
    .option('--description <text>', 'tells the model when and how to use it')
    .addOption(new Option('--method <method>', 'how it is called (default: POST)').choices(METHODS))
    .option(
      '--header <header>',
      'a header of each call, such as "X-Shop: 2"; may be repeated; secrets belong in --header-file',
      parseHeader,
    )
    .option('--header-file <file>', 'a file with headers, one a line; - reads standard input')
    .option('--parameters <file>', 'JSON Schema of the arguments; - reads standard input')
    .option('--timeout <ms>', 'time limit of a call, 100 to 15000 ms', parseNumber)
    .option('--json', 'print JSON')
}

async function bodyOf(options: Fields): Promise<object> {
  const { name, description, url, method, parameters, timeout, on, off } = options
  const headers = await headersOf(options)
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(url !== undefined && { url }),
    ...(method !== undefined && { method }),
    ...(headers && { headers: Object.fromEntries(headers) }),
    ...(parameters !== undefined && { parameters: await readJsonOf(parameters) }),
    ...(timeout !== undefined && { timeout_ms: timeout }),
    ...((on || off) && { is_active: on === true }),
  }
}

/** The headers of the options and of the file; undefined when neither is given. */
async function headersOf({ header, headerFile }: Fields): Promise<Header[] | undefined> {
  if (headerFile === undefined) return header
  const text = new TextDecoder().decode(await readFileOf(headerFile))
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const read = lines.map((line, index) => {
    const found = headerIn(line)
    // The line is not quoted: it may have a secret.
    if (!found) throw new CommandFailure(`Line ${index + 1} of ${headerFile} must be a name and a value: "X-Shop: 2".`)
    return found
  })
  return [...(header ?? []), ...read]
}

function headerIn(text: string): Header | undefined {
  const at = text.indexOf(':')
  return at < 1 ? undefined : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function parseHeader(text: string, before: Header[] = []): Header[] {
  const header = headerIn(text)
  if (!header) throw new InvalidArgumentError('It must be a name and a value, such as "X-Shop: 2".')
  return [...before, header]
}

function parseNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
