import { type Command, InvalidArgumentError } from 'commander'
import { connectToSimulator } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine } from '../terminal/terminal.ts'

type ModelOptions = {
  answer?: string
  call?: string
  arguments?: string
  fault?: string
  match?: string
  delay?: number
  times?: number
  calls?: boolean
  clear?: boolean
  simulatorUrl?: string
  json?: boolean
}

type LoggedCall = { sequence: number; at: string; model: string; outcome: string; body: unknown }

/** `parley simulate model`: prepares replies of the simulated model, and shows what it was asked. */
export function addModelSimulation(model: Command): void {
  model
    .summary('the language model replies as prepared')
    .description(
      'Prepares the reply to the next question that the simulated language model is asked, or shows its latest questions. Without a ' +
        'prepared reply the question decides: docs/simulator.md lists the words that make the model slow, wrong or silent.',
    )
    .option('--answer <text>', 'the model answers with this text')
    .option('--call <tool>', 'the model calls this tool')
    .option('--arguments <json>', 'arguments of the call, sent as they are (default: {})')
    .option(
      '--fault <fault>',
      'the model fails: a status such as 429 or 500, cut, hang, broken, empty, refuse, filter, endless',
    )
    .option('--match <text>', 'only for a question that contains this text')
    .option('--delay <seconds>', 'seconds before the reply', parseSeconds)
    .option('--times <number>', 'number of questions that have this reply (default: 1)', parseTimes)
    .option('--calls', 'show the latest questions instead')
    .option('--clear', 'forget the prepared replies instead')
    .action(simulateModel)
  withExamples(model, [
    'parley simulate model --match order --call order_status --arguments \'{"number":"A1234"}\'',
    'parley simulate model --fault 429 --times 2',
    'parley simulate model --answer "Your order is on its way." --delay 10',
    'parley simulate model --calls',
  ])
}

async function simulateModel(options: ModelOptions): Promise<void> {
  const { answer, call, fault, match, delay, times, calls, clear, simulatorUrl, json } = options
  const replies = [answer, call, fault].filter((one) => one !== undefined).length
  if (replies + Number(calls ?? false) + Number(clear ?? false) !== 1)
    throw new CommandFailure('Give one of --answer, --call, --fault, --calls and --clear.', 2)
  if (options.arguments !== undefined && call === undefined) throw new CommandFailure('--arguments needs --call.', 2)
  const simulator = connectToSimulator(simulatorUrl)
  if (calls) {
    const { data } = (await simulator.call('GET', '/_control/model/calls')) as { data: LoggedCall[] }
    if (json) printJson(data)
    else showCalls(data)
    return
  }
  if (clear) {
    const forgotten = (await simulator.call('DELETE', '/_control/model')) as { removed: number }
    if (json) printJson(forgotten)
    else printLine(`${forgotten.removed} prepared replies are forgotten.`)
    return
  }
  const reply = {
    ...(answer !== undefined && { answer }),
    ...(call !== undefined && { tool_calls: [{ name: call, arguments: options.arguments ?? '{}' }] }),
    ...(fault !== undefined && { fault }),
    ...(match !== undefined && { match }),
    ...(delay !== undefined && { delay_ms: delay * 1000 }),
    ...(times !== undefined && { times }),
  }
  const prepared = (await simulator.call('POST', '/_control/model', { script: [reply] })) as { data: unknown[] }
  if (json) printJson(prepared.data[0])
  else printLine(`The model replies so to the next ${match === undefined ? 'question' : `question with “${match}”`}.`)
}

function showCalls(calls: LoggedCall[]): void {
  if (calls.length === 0) printLine('The model was not asked yet.')
  for (const { at, model, outcome, body } of calls)
    printLine(`${at}  ${printable(model)}  ${outcome}  ${lastText(body)}`)
}

/** The last message of the user, on one line. */
function lastText(body: unknown): string {
  const { messages = [] } = (body ?? {}) as { messages?: { role: string; content: unknown }[] }
  const content = messages.findLast(({ role }) => role === 'user')?.content
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '')
  return printable(text.replace(/\s+/g, ' ')).slice(0, 100)
}

function parseSeconds(text: string): number {
  if (!/^\d{1,6}(?:\.\d{1,3})?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}

function parseTimes(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return Number(text)
}
