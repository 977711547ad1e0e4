import { type Command, InvalidArgumentError, Option } from 'commander'
import { connectToSimulator, findDemo } from '../connection/connection.ts'
import { parseExactJson, RoundedNumber } from '../options/exact_json.ts'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable } from '../terminal/terminal.ts'
import { addHistorySimulation } from './simulate_history.ts'
import { addMarketingSimulation } from './simulate_marketing.ts'
import { addModelSimulation } from './simulate_model.ts'
import { addPersonSimulation } from './simulate_person.ts'
import { addTemplateSimulation } from './simulate_template.ts'
import { addThreadSimulation } from './simulate_thread.ts'
import { about_another, inboundOf, kinds, kindsOn } from './simulated_kinds.ts'
import { callInbound } from './simulated_phone.ts'
import { type Reported, report } from './simulator_report.ts'

type InboundOptions = {
  from: string
  text?: string
  message?: Record<string, unknown>
  kind?: string
  about?: string
  name?: string
  replyTo?: string
  phoneNumberId?: string
  accountId?: string
  channel: string
  simulatorUrl?: string
  json?: boolean
}
type EchoOptions = Omit<InboundOptions, 'from' | 'name' | 'replyTo' | 'kind' | 'about'> & { to: string }
type StatusOptions = {
  message: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  code?: number
  category?: string
  free?: boolean
  simulatorUrl?: string
  json?: boolean
}

const ACCOUNTS =
  'account: the id of a page, a bot or an account, the address of a mailbox, the instance of a paired phone (default: the first)'

export function addSimulateCommands(program: Command): void {
  const simulate = program
    .command('simulate')
    .summary('let the simulated provider do something')
    .description(
      'Controls the simulated provider of a development start. docs/simulator.md describes everything it can do.',
    )

  const inbound = withSimulator(simulate.command('inbound'))
    .summary('somebody writes')
    .description(
      'Sends a message from a person to an account of the demo, and prints the response of Parley. On the web ' +
        'chat, write yourself on the page that `npm start` names.',
    )
    .requiredOption(
      '--from <person>',
      'the sender: a phone number, on other channels an id such as 518273640, or an address',
    )
    .option('--text <text>', 'text of the message; this, --kind or --message is required')
    .addOption(new Option('--kind <kind>', 'content of this kind, with the text where it has one').choices(kinds))
    .option('--about <id>', 'provider id of the message that is quoted, reacted to, edited or withdrawn')
    .option('--message <json>', 'a message object of the provider instead of a text', parseObject)
    .option('--name <name>', 'the name in their profile')
    .option('--reply-to <id>', 'provider id of the message being answered')
    .option('--phone-number-id <id>', 'receiving number, on WhatsApp (default: the first)')
    .option('--account-id <id>', `receiving ${ACCOUNTS}`)
    .option('--channel <type>', 'channel of the message', 'whatsapp')
    .action(simulateInbound)
  withExamples(inbound, [
    'parley simulate inbound --from +15551234567 --text "Where is my order?"',
    'parley simulate inbound --channel telegram --from 518273640 --text "Where is my order?"',
    'parley simulate inbound --from +15551234567 --kind picture --text "It arrived broken"',
    'parley simulate inbound --channel messenger --from 6543210987654321 --kind location',
    'parley simulate inbound --channel whatsapp_qr --from +15551234567 --kind voice-note',
    'parley simulate inbound --from +15551234567 --name Ana \\',
    '  --message \'{"type":"location","location":{"latitude":19.4,"longitude":-99.1}}\'',
  ])

  const echo = withSimulator(simulate.command('echo'))
    .summary('the business writes elsewhere')
    .description(
      'Sends a message of the business to a person that is not written through Parley (on the phone, in the app of the provider, in ' +
        'a mail program), and prints the response of Parley.',
    )
    .requiredOption(
      '--to <person>',
      'the person: a phone number, on other channels an id such as 518273640, or an address',
    )
    .option('--text <text>', 'text of the message; this or --message is required')
    .option('--message <json>', 'a message object of the provider instead of a text', parseObject)
    .option('--phone-number-id <id>', 'sending number, on WhatsApp (default: the first)')
    .option('--account-id <id>', `sending ${ACCOUNTS}`)
    .option('--channel <type>', 'channel of the message', 'whatsapp')
    .action(simulateEcho)
  withExamples(echo, [
    'parley simulate echo --to +15551234567 --text "Your order is on its way"',
    'parley simulate echo --channel instagram --to 6543210987654321 --text "See you on Monday"',
  ])

  addMarketingSimulation(withSimulator(simulate.command('marketing')))
  addTemplateSimulation(withSimulator(simulate.command('template')))
  addHistorySimulation(withSimulator(simulate.command('history')))
  addThreadSimulation(withSimulator(simulate.command('thread')))
  addPersonSimulation(withSimulator(simulate.command('person')))
  addModelSimulation(withSimulator(simulate.command('model')))

  const status = withSimulator(simulate.command('status'))
    .summary('a message changes its status')
    .description(
      'Makes the provider report a status of a message that was sent through it. Without this command it reports ' +
        'sent, delivered and read within a moment; use this command for duplicate, late or contradictory reports.',
    )
    .requiredOption('--message <id>', 'the message, as msg_… or by its provider id')
    .addOption(
      new Option('--status <status>', 'status to report')
        .choices(['sent', 'delivered', 'read', 'failed'])
        .makeOptionMandatory(),
    )
    .option('--code <number>', 'error code of a failed message (default: 131026, undeliverable)', parseCode)
    .option(
      '--category <category>',
      'category of its price, such as marketing (default: that of the message), on WhatsApp',
    )
    .option('--free', 'the message is not charged, on WhatsApp')
    .action(simulateStatus)
  withExamples(status, [
    'parley simulate status --message msg_66f2a0c1d4e5f60718293a4d --status read',
    'parley simulate status --message msg_66f2a0c1d4e5f60718293a4d --status failed --code 131049',
    'parley simulate status --message msg_66f2a0c1d4e5f60718293a4d --status delivered --category marketing',
  ])
}

function withSimulator(command: Command): Command {
  return command
    .option('--simulator-url <url>', 'address of the simulator (default: the demo’s)')
    .option('--json', 'print the simulator’s answer as JSON')
}

async function simulateInbound(options: InboundOptions): Promise<void> {
  const { from, name, channel } = options
  if (channel === 'web') {
    const page = findDemo()?.channels.web?.widget_url
    throw new CommandFailure(`Visitors of the web chat write themselves${page ? `: open ${page}` : ', on a page'}.`, 2)
  }
  const said = saidIn(options)
  const body = { channel, from, name, ...accountOf(options), ...said }
  const answer = await callInbound(options.simulatorUrl, body)
  report(options, answer, `${from} wrote ${whatOf(options, said.message)} (${answer.provider_message_id}).`)
}

/** The content of the message, and the message that it is about. */
function saidIn({ channel, from, text, message, kind, about, replyTo }: InboundOptions) {
  if ([about, replyTo].some((id) => id?.startsWith('msg_')))
    throw new CommandFailure('People know a message by the id of the provider: give its provider_message_id.', 2)
  const context = replyTo === undefined ? {} : { context: { message_id: replyTo } }
  if (kind === undefined) {
    if ((text === undefined) === (message === undefined))
      throw new CommandFailure('Say what they write with --text, --kind or --message.', 2)
    return { message: (message ?? text)!, ...context }
  }
  if (message !== undefined) throw new CommandFailure('Give either --kind or --message.', 2)
  const known = kindsOn(channel)
  if (known && !known.includes(kind))
    throw new CommandFailure(`Nobody sends the kind “${kind}” on ${channel}; there are ${known.join(', ')}.`, 2)
  if (!known) throw new CommandFailure(`There is no channel ${channel} whose people the simulator plays.`, 2)
  if (about === undefined && about_another.includes(kind))
    throw new CommandFailure(`Say which message the ${kind} is about with --about.`, 2)
  return { ...context, ...inboundOf(channel, kind, { from, text, about: about ?? '' }) }
}

function whatOf({ kind }: Pick<InboundOptions, 'kind'>, message: Record<string, unknown> | string): string {
  if (kind !== undefined && kind !== 'text') return `a message (${kind})`
  return typeof message === 'string' ? `“${printable(message)}”` : `a message (${Object.keys(message).join(', ')})`
}

/** The account of the business, as the simulator names those of the channel. */
function accountOf({
  channel,
  accountId,
  phoneNumberId,
}: Pick<InboundOptions, 'channel' | 'accountId' | 'phoneNumberId'>) {
  if (channel === 'whatsapp') return { phone_number_id: phoneNumberId ?? accountId }
  if (phoneNumberId !== undefined) throw new CommandFailure(`--phone-number-id is for WhatsApp; give --account-id.`, 2)
  if (channel === 'telegram') return { bot_id: accountId }
  return channel === 'whatsapp_qr' ? { instance: accountId } : { account_id: accountId }
}

async function simulateEcho(options: EchoOptions): Promise<void> {
  const { to, text, channel } = options
  if ((text === undefined) === (options.message === undefined)) {
    throw new CommandFailure('Say what the business writes with either --text or --message.', 2)
  }
  if (channel === 'web') throw new CommandFailure('On the web chat, all answers are sent through Parley.', 2)
  const message = (options.message ?? text)!
  const body = { channel, from: to, message, ...accountOf(options), by_business: true }
  const answer = await callInbound(options.simulatorUrl, body)
  const what = whatOf({}, message)
  report(options, answer, `The business wrote ${what} to ${to} (${answer.provider_message_id}).`)
}

async function simulateStatus(options: StatusOptions): Promise<void> {
  const { message: message_id, status, code, category, free } = options
  const api = connectToSimulator(options.simulatorUrl)
  const answer: Reported = await api.call('POST', '/_control/statuses', {
    message_id,
    status,
    code,
    category,
    ...(free && { billable: false }),
  })
  report(options, answer, `${message_id} was reported as ${status} (${answer.provider_message_id}).`)
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value = parseExactJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    if (error instanceof RoundedNumber) throw new InvalidArgumentError(`${error.message}.`)
  }
  throw new InvalidArgumentError('It must be a JSON object.')
}

function parseCode(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
