/** The deployments of an assistant, and its turns. */
import { type Command, Option } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { limitOption, readPages } from '../connection/pages.ts'
import { withExamples } from '../options/examples.ts'
import { readJsonOf } from '../options/read_file.ts'
import { mustBeInOrder, parseMoment, shortTime } from '../options/time_option.ts'
import type { AssistantDeployment, AssistantTurn, AssistantTurnSummary } from '../records/generated.ts'
import type { Options } from '../records/resource.ts'
import { clip, fields, paint, printable, printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { costLine, listed, outcomeLine, sourceLines, tokensLine } from './work_lines.ts'

const EXAMPLE = '66f2a0c1d4e5f60718293a4b'
/** Characters of a text in the answer for people; --json has everything. */
const MAX_TEXT = 300

const pathOf = (id: string, rest: string) => `/admin/v1/assistants/${encodeURIComponent(id)}/${rest}`

const single = (group: Command, verb: string) =>
  withOperatorOptions(group.command(verb)).argument('<id>', 'its id (parley assistants list)')

type Deployments = { deployments: AssistantDeployment[] }

export function addAtWorkCommands(group: Command): void {
  const deployments = single(group, 'deployments')
    .summary('list where and when an assistant answers')
    .description('Lists the deployments of an assistant, in the order in which they are tried.')
    .option('--json', 'print JSON, as `parley assistants deploy` takes it')
    .action(async (id: string, options: Options) => {
      printDeployments(await connectAsOperator(options).api.call('GET', pathOf(id, 'deployments')), options)
    })
  withExamples(deployments, [`parley assistants deployments ${EXAMPLE} --json > deployments.json`])

  const deploy = single(group, 'deploy')
    .argument('<file>', 'a JSON file with the list of deployments; - reads standard input')
    .summary('say where and when an assistant answers')
    .description('Replaces the deployments of an assistant. An empty list takes it off all conversations to come.')
    .option('--json', 'print JSON')
    .action(async (id: string, file: string, options: Options) => {
      const body = { deployments: await readJsonOf(file) }
      printDeployments(await connectAsOperator(options).api.call('PUT', pathOf(id, 'deployments'), body), options)
    })
  withExamples(deploy, [
    `parley assistants deploy ${EXAMPLE} deployments.json`,
    `echo '[{ "answers": "outside_hours" }]' | parley assistants deploy ${EXAMPLE} -`,
  ])

  const turns = single(group, 'turns')
    .argument('[turn]', 'one of them, with its steps')
    .summary('list what an assistant did')
    .description('Lists the turns of an assistant, newest first, or shows one with its steps.')
    .option('--ticket <id>', 'only those of this ticket')
    .addOption(
      new Option('--outcome <outcome>', 'only those that ended so').choices([
        ...['answered', 'handed_over', 'failed', 'discarded'],
      ]),
    )
    .option('--since <time>', 'begun at or after: 2h, 3d or ISO 8601', parseMoment)
    .option('--until <time>', 'begun before', parseMoment)
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(async (id: string, turn: string | undefined, options: TurnOptions) => {
      if (turn === undefined) return listTurns(id, options)
      const path = pathOf(id, `turns/${encodeURIComponent(turn)}`)
      const answer = await connectAsOperator(options).api.call<{ turn: AssistantTurn }>('GET', path)
      if (options.json) printJson(answer.turn)
      else printTurn(answer.turn)
    })
  withExamples(turns, [
    `parley assistants turns ${EXAMPLE} --outcome failed --since 1d`,
    `parley assistants turns ${EXAMPLE} 66f2a0c1d4e5f60718293a4c`,
  ])
}

function printDeployments({ deployments }: Deployments, { json }: Options): void {
  const rows = deployments.map(({ answers, after_minutes, channel_ids, tag_ids, is_active }) => [
    is_active ? 'on' : 'off',
    after_minutes === null ? answers : `${answers} for ${after_minutes} min`,
    channel_ids.join(', ') || 'all',
    tag_ids.join(', ') || 'any',
  ])
  if (json) printJson(deployments)
  else if (rows.length === 0) remark('The assistant answers nowhere: `parley assistants deploy` says where.')
  else process.stdout.write(table(['state', 'answers', 'channels', 'tags'], rows, 2))
}

type TurnOptions = Options & {
  ticket?: string
  outcome?: string
  since?: string
  until?: string
  limit: number
}

async function listTurns(id: string, options: TurnOptions): Promise<void> {
  const { ticket: ticket_id, outcome, since, until, limit } = options
  mustBeInOrder(options)
  const { api } = connectAsOperator(options)
  const filter = { ticket_id, outcome, since, until }
  const { rows: turns, more } = await readPages<AssistantTurnSummary>(api, pathOf(id, 'turns'), filter, limit)
  if (options.json) return printJson(turns)
  if (turns.length === 0) return remark('The assistant did nothing like that.')
  const rows = turns.map((turn) => [
    turn._id,
    shortTime(turn.started_at).slice('2026-'.length),
    turn.outcome ?? 'under way',
    String(turn.input_tokens + turn.output_tokens),
    printable(clip(turn.answer ?? turn.reason ?? '', MAX_TEXT)),
  ])
  process.stdout.write(table(['turn', 'begun (UTC)', 'outcome', 'tokens', 'answer'], rows, 4))
  if (more) remark(paint('dim', 'There are more: a greater --limit shows them.', process.stderr))
}

function printTurn(turn: AssistantTurn): void {
  const lines: [string, string][] = [
    ['turn', turn._id],
    outcomeLine(turn.outcome ?? 'under way', turn.reason),
    ['ticket', turn.ticket_id ?? 'none'],
    ['model', turn.model],
    tokensLine(turn),
    costLine(turn.cost),
    ['begun', turn.started_at],
    ['ended', turn.ended_at ?? 'not yet'],
    ['answer', clip(turn.answer ?? 'none', MAX_TEXT)],
    ...sourceLines(turn.sources),
    ...listed(
      'steps',
      turn.steps.map(({ kind, name, ms, error, result }) =>
        [`${kind} ${name}, ${ms} ms`, error ? `${error.code}: ${error.message}` : result && clip(result, MAX_TEXT)]
          .filter(Boolean)
          .join(': '),
      ),
    ),
  ]
  printLine(fields(lines))
}
