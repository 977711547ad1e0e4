import { type Command, Option } from 'commander'
import { connectToSimulator } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { printJson, printLine } from '../terminal/terminal.ts'
import { type Reported, report } from './simulator_report.ts'

type ThreadOptions = {
  person: string
  holder: keyof typeof HOLDERS
  note?: string
  request?: true
  phoneNumberId?: string
  accountId?: string
  channel: string
  simulatorUrl?: string
  json?: boolean
}

const HOLDERS = { meta_agent: 'Meta’s agent', app: 'another app', parley: 'Parley' }

/** `parley simulate thread`: another app of the business moves a conversation. */
export function addThreadSimulation(thread: Command): void {
  thread
    .summary('another app takes or passes a conversation')
    .description(
      'Lets the conversation with a person be held by another app of the business, such as Meta’s own agent, or come back to Parley, as Meta ' +
        'tells it. While another app holds it, what the person writes (`parley simulate inbound`) and what the app answers (`parley simulate echo`) ' +
        'come as copies.',
    )
    .requiredOption('--person <person>', 'the person: a phone number, on other channels an id such as 518273640')
    .addOption(
      new Option('--holder <app>', 'the app that holds the conversation from now on')
        .choices(Object.keys(HOLDERS))
        .makeOptionMandatory(),
    )
    .option('--note <text>', 'what the app that lets go says of the conversation')
    .option('--request', 'the app only asks for the conversation, on Messenger and Instagram')
    .option('--phone-number-id <id>', 'number of the business, on WhatsApp (default: the first)')
    .option('--account-id <id>', 'account of the business, on the other channels (default: the first)')
    .addOption(
      new Option('--channel <type>', 'channel of the conversation')
        .choices(['whatsapp', 'messenger', 'instagram', 'facebook'])
        .default('whatsapp'),
    )
    .action(simulateThread)
  withExamples(thread, [
    'parley simulate thread --person +15551234567 --holder meta_agent',
    'parley simulate inbound --from +15551234567 --text "Are you open on Sunday?"',
    'parley simulate echo --to +15551234567 --text "We are, from 10 to 14."',
    'parley simulate thread --person +15551234567 --holder parley --note "Asks for a person"',
  ])
}

async function simulateThread(options: ThreadOptions): Promise<void> {
  const { person: recipient, holder, note, request, channel, phoneNumberId, accountId } = options
  const account = channel === 'whatsapp' ? { phone_number_id: phoneNumberId } : { account_id: accountId }
  const body = { channel, recipient, holder, note, request, ...account }
  const simulator = connectToSimulator(options.simulatorUrl)
  const answer = await simulator.call<Partial<Reported>>('POST', '/_control/threads', body)
  const what = `The conversation with ${recipient} is held by ${HOLDERS[holder]}`
  const { webhook } = answer
  if (webhook)
    report(options, { ...answer, webhook }, request ? `${HOLDERS[holder]} asks for ${recipient}.` : `${what}.`)
  else if (options.json) printJson(answer)
  else printLine(`${what}; Meta tells nobody of that.`)
}
