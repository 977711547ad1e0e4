/** `parley trace`: the way of a request, a message or an event. */

import type { Command } from 'commander'
import { ApiRefusal } from './connection/api.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from './connection/connection.ts'
import { withExamples } from './options/examples.ts'
import type { Trace, TraceStep } from './records/generated.ts'
import { CommandFailure } from './terminal/failure.ts'
import { paint, printable, printJson, remark, table, wrap } from './terminal/terminal.ts'

export function addTraceCommand(program: Command): void {
  const trace = withOperatorOptions(program.command('trace'))
    .summary('tell the way of a request, a message or an event')
    .description(
      'Tells what is stored of a request, a message or an event, in the order of time: what was changed, messages with ' +
        'their statuses and the id of the provider, events, and each attempt to deliver them. Uses the operator API.',
    )
    .argument('<id>', 'the X-Request-Id of an answer or of a delivery, or the id of a message, an event or a delivery')
    .option('--json', 'print JSON')
    .action(showTrace)
  withExamples(trace, [
    'parley trace req_9nTxZk2mVb4c_1f',
    'parley trace msg_66f2a0c1d4e5f60718293a4d',
    'parley trace evt_66f2a0c1d4e5f60718293a57 --json | jq \'.steps[] | select(.step == "attempt")\'',
  ])
}

async function showTrace(id: string, options: OperatorOptions & { json?: boolean }): Promise<void> {
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(id) || /^\.+$/.test(id)) throw new CommandFailure(NO_ID)
  const { api } = connectAsOperator(options)
  const trace = await api.call<Trace>('GET', `/admin/v1/trace/${encodeURIComponent(id)}`).catch((error) => {
    if (error instanceof ApiRefusal && error.code === 'NOT_FOUND') throw new CommandFailure(NOT_FOUND)
    throw error
  })
  if (options.json) return printJson(trace)
  if (trace.steps.length === 0) return remark(OTHER_RECORD.test(id) ? `${NO_REQUEST} ${NOTHING}` : NOTHING)
  const { isTTY, columns = 80 } = process.stdout
  process.stdout.write(isTTY && columns < TABLE_WIDTH ? blocksOf(trace.steps, columns) : tableOf(trace.steps))
  const missing = Object.entries(trace.left_out).filter(([, count]) => count > 0)
  if (missing.length === 0) return
  const counts = missing.map(([name, count]) => `${count} ${name.replace('_', ' ')}`)
  remark(paint('dim', `Left out: ${counts.join(', ')}.`, process.stderr))
}

/** Columns of a terminal from which on a table shows the whole of most steps. */
const TABLE_WIDTH = 160

function tableOf(steps: TraceStep[]): string {
  const rows = steps.map((step) => [...headOf(step, steps[0]!), textOf(step), step.request_id ?? ''])
  return table(['time (UTC)', 'ms', 'step', 'id', 'what', 'request'], rows, 4)
}

/** Each step on a line, and below it the words that a narrow terminal has no room for. */
function blocksOf(steps: TraceStep[], columns: number): string {
  const heads = table(
    ['time (UTC)', 'ms', 'step', 'id'],
    steps.map((step) => headOf(step, steps[0]!)),
    3,
  )
  const [heading, ...lines] = heads.trimEnd().split('\n')
  let shown: string | null = null
  const blocks = lines.flatMap((line, at) => {
    const { request_id } = steps[at]!
    const request = request_id && request_id !== shown ? `request ${request_id}` : ''
    shown = request_id ?? shown
    const text = printable([textOf(steps[at]!), request].filter(Boolean).join(', '))
    return text ? [line, wrap(text, columns, 4)] : [line]
  })
  return `${[heading, ...blocks].join('\n')}\n`
}

function headOf({ at, step, id }: TraceStep, first: TraceStep): string[] {
  return [at.slice(0, 23).replace('T', ' '), `+${Date.parse(at) - Date.parse(first.at)}`, step, id]
}

/** `to wh_…, #2, answered 503, in 12 ms, http_503`. */
function textOf({ step, detail, attempt, status_code, duration_ms, error, of }: TraceStep): string {
  const number = attempt === null ? '' : step === 'attempt' ? `#${attempt}` : `attempts: ${attempt}`
  const parts = [
    detail,
    number,
    status_code === null ? '' : `answered ${status_code}`,
    duration_ms === null ? '' : `in ${duration_ms} ms`,
    error ?? '',
    step === 'event' && of ? `of ${of}` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

const AGED = 'Retention may have removed it (parley retention show).'

const NOTHING =
  `Nothing is stored of this request. ${AGED} A request that changed nothing is in the access log alone ` +
  '(PARLEY_ACCESS_LOG), and rows of earlier releases do not name their request.'

const NO_ID = 'An id has 1 to 128 letters, digits, points, hyphens and underscores.'

/** Ids that look like those of other records: a request may have one, but rarely has. */
const OTHER_RECORD = /^([a-z]{2,4}_)?[0-9a-f]{24}$|^(msg|evt|dlv)_/i

const NO_REQUEST = 'This is no id of a message, an event or a delivery, so it was taken for that of a request.'

const NOT_FOUND = `There is no such message, event or delivery. ${AGED} Events are stored where a webhook subscription listens.`
