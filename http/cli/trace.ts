/** `parley trace`: the way of a request, a message or an event. */

import type { Command } from 'commander'
import { ApiRefusal } from './connection/api.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from './connection/connection.ts'
import { withExamples } from './options/examples.ts'
import type { Trace, TraceStep } from './records/generated.ts'
import { CommandFailure } from './terminal/failure.ts'
import { paint, printJson, remark, table } from './terminal/terminal.ts'

export function addTraceCommand(program: Command): void {
  const trace = withOperatorOptions(program.command('trace'))
    .summary('tell the way of a request, a message or an event')
    .description(
      'Tells what is stored of a request, a message or an event, in the order of time: what was changed, messages with ' +
        'their statuses and the id of the provider, events, and each attempt to deliver them. Uses the operator API.',
    )
    .argument('<id>', 'the X-Request-Id of an answer or of a delivery, or the id of a message or of an event')
    .option('--json', 'print JSON')
    .action(showTrace)
  withExamples(trace, [
    'parley trace req_9nTxZk2mVb4c_1f',
    'parley trace msg_66f2a0c1d4e5f60718293a4d',
    'parley trace evt_66f2a0c1d4e5f60718293a57 --json | jq \'.steps[] | select(.step == "attempt")\'',
  ])
}

async function showTrace(id: string, options: OperatorOptions & { json?: boolean }): Promise<void> {
  const { api } = connectAsOperator(options)
  const trace = await api.call<Trace>('GET', `/admin/v1/trace/${encodeURIComponent(id)}`).catch((error) => {
    if (error instanceof ApiRefusal && error.code === 'NOT_FOUND') throw new CommandFailure(NOT_FOUND)
    throw error
  })
  if (options.json) return printJson(trace)
  const [first] = trace.steps
  if (!first) return remark(NOTHING)
  const begin = Date.parse(first.at)
  const rows = trace.steps.map((step) => [
    step.at.slice(0, 23).replace('T', ' '),
    `+${Date.parse(step.at) - begin}`,
    step.step,
    step.id,
    textOf(step),
    step.request_id ?? '',
  ])
  process.stdout.write(table(['time (UTC)', 'ms', 'step', 'id', 'what', 'request'], rows, 4))
  const missing = Object.entries(trace.left_out).filter(([, count]) => count > 0)
  if (missing.length === 0) return
  const counts = missing.map(([name, count]) => `${count} ${name.replace('_', ' ')}`)
  remark(paint('dim', `Left out: ${counts.join(', ')}.`, process.stderr))
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

const NOT_FOUND = `There is no such message or event. ${AGED} Events are stored where a webhook subscription listens.`
