import type { Command } from 'commander'
import type { AssistantReply } from '../../client/mod.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { readJsonOf } from '../options/read_file.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { clip, fields, printJson, printLine, printText } from '../terminal/terminal.ts'
import { costLine, listed, outcomeLine, sourceLines, tokensLine } from './work_lines.ts'

const EXAMPLE = '66f2a0c1d4e5f60718293a4b'
/** A turn has 50 s. */
const PATIENCE_MS = 70_000
/** Characters of the result of a tool; --json has everything. */
const MAX_RESULT = 300

type ReplyOptions = TokenOptions & {
  ticket?: string
  messages?: string
  contact?: string
  json?: boolean
}

export function addReply(group: Command): void {
  const command = withTokenOptions(group.command('reply'))
    .argument('<id>', 'its id (parley assistants list)')
    .argument('[text]', 'what a person writes')
    .summary('let an assistant answer without sending it')
    .description(
      'Prints what an assistant would answer. Nothing is sent, and tools that would change something are not run.',
    )
    .option('--ticket <id>', 'to the conversation of this ticket')
    .option('--messages <file>', 'to a JSON file with a list of { role, text }; - reads standard input')
    .option('--contact <id>', 'tools act for this contact')
    .option('--json', 'print JSON')
    .action(async (id: string, text: string | undefined, options: ReplyOptions) => {
      const { ticket: ticket_id, messages: file, contact: chat_user, json } = options
      if ([text, ticket_id, file].filter((one) => one !== undefined).length !== 1) {
        throw new CommandFailure('Give a text, --ticket or --messages.', 2)
      }
      const messages = text === undefined ? file && (await readJsonOf(file)) : [{ role: 'user', text }]
      const path = `/v1/assistants/${encodeURIComponent(id)}/reply`
      const body = { ticket_id, messages, chat_user }
      const { reply } = await connectAsProject(options).call<{ reply: AssistantReply }>('POST', path, body, {
        patience_ms: PATIENCE_MS,
      })
      if (json) printJson(reply)
      else printReply(reply)
    })
  withExamples(command, [
    `parley assistants reply ${EXAMPLE} "Where is my order A-1001?"`,
    `parley assistants reply ${EXAMPLE} --ticket 66f2a0c1d4e5f60718293a4c`,
  ])
}

function printReply({ text, outcome, reason, tool_calls, sources, usage, cost, turn_id }: AssistantReply): void {
  if (text !== null) {
    printText(text)
    printLine('')
  }
  const lines: [string, string][] = [
    outcomeLine(outcome, reason),
    ...sourceLines(sources),
    ...listed(
      'tools',
      tool_calls.map(
        ({ name, error, result = '' }) =>
          `${name}: ${error ? `${error.code}: ${error.message}` : clip(result, MAX_RESULT)}`,
      ),
    ),
    tokensLine(usage),
    costLine(cost),
    ['turn', turn_id],
  ]
  printLine(fields(lines))
}
