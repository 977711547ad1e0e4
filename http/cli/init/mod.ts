/** `parley init`: from an empty Parley to a WhatsApp number that was seen to work. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Api } from '../api.ts'
import { checkUrl, connectAsOperator, connectWith, type OperatorOptions, withOperatorOptions } from '../connection.ts'
import { withExamples } from '../examples.ts'
import { CommandFailure } from '../failure.ts'
import { fields } from '../subscriptions.ts'
import { printJson, printLine, remark } from '../terminal.ts'
import { type ChannelOptions, type Credentials, connectChannel } from './channel.ts'
import { Dialogue } from './dialogue.ts'
import { lastReceived, nextMessage, replyTo } from './first_message.ts'
import { displayNumber, setWebhook } from './meta.ts'
import { answer, findProject, makeToken, type PlaceOptions } from './place.ts'
import { begin, done, failed } from './steps.ts'

type Options = OperatorOptions &
  PlaceOptions &
  ChannelOptions & { publicUrl?: string; webhook: boolean; wait: number | false; json?: boolean }

/** What was made, and what was seen to work. */
type Result = {
  company_id: string
  project_id: string
  channel_id: string
  number: string
  webhook_url: string
  verify_token: string
  token: string
  is_webhook_set: boolean
  /** The first message that came, and the answer; null when nobody waited for one. */
  first_message: { from: string; answer_id: string } | null
}

export function addInitCommand(program: Command): void {
  const init = withOperatorOptions(program.command('init'))
    .summary('connect the first WhatsApp number')
    .description(
      'Connects a WhatsApp number of your own, step by step, and checks each step at Meta: the project, the ' +
        'credentials, the webhook, a first message from your phone, and an answer to it. Asks for what no option gives. ' +
        'May be repeated for the same number.',
    )
    .option('--project <id>', 'the project (default: a choice)')
    .option('--company-name <name>', 'makes a new company of this name')
    .option('--project-name <name>', 'makes a new project of this name, in a new company')
    .option('--owner <name>', 'full name of the user who holds the token, if the company has none')
    .option('--owner-email <address>', 'e-mail address of that user')
    .option('--name <name>', 'name of the channel (default: WhatsApp)')
    .option('--phone-number-id <id>', 'phone number ID in Meta’s dashboard')
    .option('--business-account-id <id>', 'WhatsApp Business Account ID in Meta’s dashboard')
    .addOption(new Option('--access-token <token>', 'token of a system user').env('WHATSAPP_ACCESS_TOKEN'))
    .addOption(new Option('--app-secret <secret>', 'secret of the app').env('WHATSAPP_APP_SECRET'))
    .option('--verify-token <word>', 'word that Meta shows when it checks the webhook (default: a random one)')
    .option('--public-url <url>', 'address at which Meta reaches Parley (default: that of --base-url, if it is https)')
    .option('--api-base-url <url>', 'replaces the address of Meta, for a proxy or a simulator')
    .option('--no-webhook', 'do not set the webhook at Meta: enter it in the dashboard')
    .addOption(
      new Option('--wait <minutes>', 'minutes to wait for a first message').default(10, '10').argParser(parseMinutes),
    )
    .option('--no-wait', 'do not wait for a first message')
    .option('--json', 'print JSON')
    .action(connectFirst)
  withExamples(init, [
    'parley init',
    'parley init --project 66f2a0c1d4e5f60718293a4b --public-url https://parley.example.com --no-wait',
  ])
}

async function connectFirst(options: Options): Promise<void> {
  const dialogue = new Dialogue()
  try {
    show(await walk(dialogue, options), options)
  } finally {
    dialogue.close()
  }
}

async function walk(dialogue: Dialogue, options: Options): Promise<Result> {
  const { api } = connectAsOperator(options)
  begin('1. Parley')
  const { nodes } = await api.call('GET', '/admin/v1/cluster')
  done(`${api.base_url} answers, with ${nodes.length === 1 ? 'one node' : `${nodes.length} nodes`}.`)
  const public_url = await askPublicUrl(dialogue, api, options)

  begin('2. The project')
  const project = await findProject(api, dialogue, options)

  begin('3. The number')
  const { channel, credentials } = await connectChannel(api, dialogue, project._id, options)
  // The server reaches Meta, as the check has shown; this machine need not.
  const number = await displayNumber(credentials).catch(() => credentials.phone_number_id)

  begin('4. The webhook')
  const webhook_url = `${public_url}${channel.webhook_path}`
  const is_webhook_set = options.webhook && (await trySetWebhook(credentials, webhook_url))
  if (!is_webhook_set) explainWebhook(webhook_url, credentials)

  begin('5. A token')
  const token = await makeToken(api, dialogue, project, options)
  done('It has every scope, and is shown at the end.')

  const { company_id, _id: project_id } = project
  const { verify_token } = credentials
  const made = { company_id, project_id, channel_id: channel._id, number, webhook_url, verify_token, token }
  const result: Result = { ...made, is_webhook_set, first_message: null }
  dialogue.close()
  if (options.wait === false) return result
  try {
    return { ...result, first_message: await exchange(connectWith(options, token), channel._id, number, options.wait) }
  } catch (error) {
    // The token is shown only once.
    show(result, options)
    throw error
  }
}

function show(result: Result, { json }: Options): void {
  if (json) printJson(result)
  else tell(result)
}

/** @throws {CommandFailure} for an address that Meta cannot reach */
async function askPublicUrl(dialogue: Dialogue, api: Api, options: Options): Promise<string> {
  const problem = (text: string) => {
    const is_simulated = options.apiBaseUrl !== undefined
    if (/^https:\/\/[^/?#]+/.test(text) || (is_simulated && /^http:\/\//.test(text))) return undefined
    return 'Meta calls https addresses alone, such as https://parley.example.com.'
  }
  const known = options.publicUrl ?? (problem(api.base_url) === undefined ? api.base_url : undefined)
  const url = await answer(dialogue, known, {
    text: 'Address at which Meta reaches Parley',
    hint: 'The https address of your proxy, or of a tunnel to this machine',
    option: '--public-url',
    problem,
  })
  const reason = problem(checkUrl(url, '--public-url'))
  if (reason) throw new CommandFailure(`--public-url is ${url}: ${reason}`, 2)
  return url.replace(/\/+$/, '')
}

async function trySetWebhook(credentials: Credentials, webhook_url: string): Promise<boolean> {
  try {
    await setWebhook(credentials, webhook_url)
    done(`Meta called ${webhook_url}, and sends its webhooks there.`)
    return true
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    failed(`The webhook could not be set. ${error.message}`)
    return false
  }
}

function explainWebhook(webhook_url: string, { verify_token }: Credentials): void {
  remark('Enter it in the dashboard: your app → WhatsApp → Configuration.')
  remark(`  Callback URL   ${webhook_url}`)
  remark(`  Verify token   ${verify_token}`)
  remark('  Fields         messages, account_update, message_template_status_update, flows')
}

async function exchange(api: Api, channel_id: string, number: string, minutes: number) {
  begin('6. A first message')
  const last = await lastReceived(api, channel_id)
  remark(`Write to ${number} on WhatsApp now, from any phone. Ctrl-C ends the wait.`)
  const { from, text } = await nextMessageOf(api, channel_id, last, minutes)
  done(`${from} wrote ${text}.`)
  const answer_id = await replyTo(api, channel_id, from)
  done(`The answer was sent (${answer_id}).`)
  return { from, answer_id }
}

/** Ctrl-C ends the wait, and not the command: the token is still to be shown. */
async function nextMessageOf(api: Api, channel_id: string, last: string | undefined, minutes: number) {
  const stop = new AbortController()
  const end = () => stop.abort()
  process.once('SIGINT', end)
  try {
    return await nextMessage(api, channel_id, last, { minutes, signal: stop.signal })
  } finally {
    process.off('SIGINT', end)
  }
}

function tell({ project_id, channel_id, number, webhook_url, token, first_message }: Result): void {
  begin(first_message ? 'The number works in both directions.' : 'The number is connected.')
  printLine(
    fields([
      ['project', project_id],
      ['channel', channel_id],
      ['number', number],
      ['webhook', webhook_url],
      ['token', token],
    ]),
  )
  remark(
    'The token is shown this once: keep it now. Send with POST /v1/messages; docs/first_steps.md goes on from here.',
  )
}

function parseMinutes(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of minutes.')
}
