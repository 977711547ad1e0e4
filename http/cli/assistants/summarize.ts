import type { Command } from 'commander'
import type { AssistantSummary } from '../../client/mod.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { fields, printJson, printLine } from '../terminal/terminal.ts'
import { costLine, outcomeLine, tokensLine } from './work_lines.ts'

const EXAMPLE = '66f2a0c1d4e5f60718293a4b'
/** A summary has 50 s. */
const PATIENCE_MS = 70_000

type SummarizeOptions = TokenOptions & { ticket: string; language?: string; json?: boolean }

export function addSummarize(group: Command): void {
  const command = withTokenOptions(group.command('summarize'))
    .argument('<id>', 'its id (parley assistants list)')
    .summary('summarize the conversation of a ticket for colleagues')
    .description('Prints a summary that the model of the assistant writes. It is stored nowhere.')
    .requiredOption('--ticket <id>', 'the ticket whose conversation is summarized')
    .option('--language <code>', 'language of the summary, such as en; without it that of the person')
    .option('--json', 'print JSON')
    .action(async (id: string, { ticket: ticket_id, language, json, ...options }: SummarizeOptions) => {
      const path = `/v1/assistants/${encodeURIComponent(id)}/summary`
      const { summary } = await connectAsProject(options).call<{ summary: AssistantSummary }>(
        'POST',
        path,
        { ticket_id, language },
        { patience_ms: PATIENCE_MS },
      )
      if (json) printJson(summary)
      else printSummary(summary)
    })
  withExamples(command, [`parley assistants summarize ${EXAMPLE} --ticket 66f2a0c1d4e5f60718293a50 --language en`])
}

function printSummary({ conversation_summary, outcome, reason, usage, cost, turn_id }: AssistantSummary): void {
  const { motivo, estado, proximos_pasos } = conversation_summary ?? {}
  const texts: [string, string | null | undefined][] = [
    ['reason', motivo],
    ['state', estado],
    ['next steps', proximos_pasos],
  ]
  const lines: [string, string][] = [
    ...texts.flatMap(([name, text]): [string, string][] => (text ? [[name, text]] : [])),
    outcomeLine(outcome, reason),
    tokensLine(usage),
    costLine(cost),
    ['turn', turn_id],
  ]
  printLine(fields(lines))
}
