import { type Command, InvalidArgumentError } from 'commander'
import { connectToSimulator } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { type Reported, report } from './simulator_report.ts'

type HistoryOptions = {
  people?: number
  messages?: number
  declined?: boolean
  phoneNumberId?: string
  simulatorUrl?: string
  json?: boolean
}

export function addHistorySimulation(history: Command): void {
  history
    .summary('the phone tells its history')
    .description(
      'Sends the history of the phone of a WhatsApp number, with the names of its address book, and prints the last response of Parley. ' +
        'Each person has their share of the messages.',
    )
    .option('--people <number>', 'number of people (default: 2)', parseCount)
    .option('--messages <number>', 'number of messages of all of them (default: 4)', parseCount)
    .option('--declined', 'the business does not share its history')
    .option('--phone-number-id <id>', 'the number (default: the first)')
    .action(simulateHistory)
  withExamples(history, ['parley simulate history', 'parley simulate history --people 500 --messages 20000'])
}

async function simulateHistory(options: HistoryOptions): Promise<void> {
  const { people, messages, declined, phoneNumberId: phone_number_id } = options
  const body = { people, messages, declined, phone_number_id }
  const simulator = connectToSimulator(options.simulatorUrl)
  const answer = await simulator.call<Reported & { messages: number }>('POST', '/_control/history', body)
  const what = declined ? 'The business declined to share its history.' : `The phone told ${answer.messages} messages.`
  report(options, answer, what)
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
