/** `parley init`: from an empty Parley to a WhatsApp number that was seen to work. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Api } from '../connection/api.ts'
import {
  checkUrl,
  connectAsOperator,
  connectWith,
  type OperatorOptions,
  withOperatorOptions,
} from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { untilInterrupted } from '../terminal/interrupt.ts'
import { fields, printJson, printLine } from '../terminal/terminal.ts'
import { type ChannelOptions, channelOf, checkChannel, findNumber, storeChannel } from './channel.ts'
import { Dialogue } from './dialogue.ts'
import { lastReceived, makeWord, replyTo, senderOf } from './first_message.ts'
import { choosePlace, makeOwner, makeProject, type PlaceOptions } from './place.ts'
import { begin, done, note } from './steps.ts'
import { checkToken, giveToken } from './token.ts'
import { settleWebhook, type Webhook, wordOf } from './webhook.ts'

type Options = OperatorOptions &
  PlaceOptions &
  ChannelOptions & { publicUrl?: string; webhook: boolean; newToken?: boolean; wait: number | false; json?: boolean }

/** Records that were made, and checks that passed. */
type Result = Webhook & {
  company_id: string
  project_id: string
  channel_id: string
  number: string
  token_id: string
  /** Null for a token of a former run, which cannot be shown again. */
  token: string | null
  /** The message that was asked for, and the answer; null when nobody waited for one. */
  first_message: { from: string; answer_id: string } | null
}

/** Records made so far, for a run that breaks off. */
type Made = { project_id?: string; channel_id?: string; result?: Result }

export function addInitCommand(program: Command): void {
  const init = withOperatorOptions(program.command('init'))
    .summary('connect the first WhatsApp number')
    .description(
      'Connects a WhatsApp number of your own, step by step, and checks each step at Meta: the project, the ' +
        'credentials, the webhook, a first message from your phone, and an answer to it. Asks for the values that no ' +
        'option gives. May be repeated for the same number: existing records stay. Secrets are typed without being ' +
        'shown, or come from files or the environment, because other users of the machine see command lines.',
    )
    .option('--project <id>', 'the project (default: a choice)')
    .option('--company-name <name>', 'company of the project; made if there is none of this name')
    .option('--project-name <name>', 'project of that company; made if there is none of this name')
    .option('--owner <name>', 'full name of the user who holds the token, if the company has none')
    .option('--owner-email <address>', 'e-mail address of that user')
    .option('--name <name>', 'name of the channel (default: WhatsApp)')
    .option('--phone-number-id <id>', 'phone number ID in Meta’s dashboard')
    .option('--business-account-id <id>', 'WhatsApp Business Account ID in Meta’s dashboard')
    .option(
      '--access-token-file <path>',
      'file with the token of a system user, - for standard input (else WHATSAPP_ACCESS_TOKEN)',
    )
    .option(
      '--app-secret-file <path>',
      'file with the secret of the app, - for standard input (else WHATSAPP_APP_SECRET)',
    )
    .option(
      '--verify-token <word>',
      'word that Meta shows when it checks the webhook (default: one made from the app secret)',
    )
    .option('--public-url <url>', 'address at which Meta reaches Parley (default: that of --base-url, if it is https)')
    .option('--api-base-url <url>', 'replaces the address of Meta, for a proxy or a simulator')
    .option('--no-webhook', 'do not set the webhook at Meta: enter it in the dashboard')
    .option('--new-token', 'replace the token of a former run, which ends')
    .addOption(
      new Option('--wait <minutes>', 'minutes to wait for a first message').default(10, '10').argParser(parseMinutes),
    )
    .option('--no-wait', 'do not wait for a first message')
    .option('--json', 'print JSON')
    .action(connectFirst)
  withExamples(init, [
    'parley init',
    'parley init --project 66f2a0c1d4e5f60718293a4b --public-url https://parley.example.com --no-wait',
    'parley init --company-name Acme --project-name Shop --access-token-file token.txt --app-secret-file - < secret.txt',
  ])
}

async function connectFirst(options: Options): Promise<void> {
  const dialogue = new Dialogue()
  const made: Made = {}
  try {
    await untilInterrupted(async (interruption) => {
      const signal = AbortSignal.any([interruption, dialogue.left])
      await walk(dialogue, options, signal, made)
      dialogue.close()
      if (options.wait !== false) made.result!.first_message = await exchange(made.result!, options, interruption)
    })
    show(made.result!, options)
  } catch (error) {
    // The token is shown only once.
    if (made.result) show(made.result, options)
    if (made.result || !(error instanceof CommandFailure)) throw error
    throw new CommandFailure(`${error.message}${wayOn(made)}`, error.exit_code)
  } finally {
    dialogue.close()
  }
}

async function walk(dialogue: Dialogue, options: Options, signal: AbortSignal, made: Made): Promise<void> {
  const { api } = connectAsOperator(options)
  api.signal = signal
  begin('1. Parley')
  const { nodes } = await api.call<{ nodes: unknown[] }>('GET', '/admin/v1/cluster')
  done(`${api.base_url} answers, with ${nodes.length === 1 ? 'one node' : `${nodes.length} nodes`}.`)
  const public_url = await askPublicUrl(dialogue, api, options)

  begin('2. The project')
  const place = await choosePlace(api, dialogue, options)

  begin('3. The number')
  const number = await findNumber(dialogue, options, signal)
  const { credentials, at_meta } = number
  const present = await channelOf(api, place.project, credentials)
  const project = await makeProject(api, place)
  const { company_id, _id: project_id } = project
  made.project_id = project_id
  const user_id = await makeOwner(api, dialogue, place, project)
  const word = options.verifyToken ?? wordOf(credentials)
  const channel = await storeChannel(api, { project, present, credentials, verify_token: word }, options)
  made.channel_id = channel._id
  await checkChannel(api, dialogue, channel)

  begin('4. The webhook')
  const settled = { ...number, channel, word, public_url, is_wanted: options.webhook }
  const webhook = await settleWebhook(api, settled, signal)

  begin('5. A token')
  const token = await giveToken(api, dialogue, { project_id, user_id, is_new: options.newToken ?? false })
  const ids = { company_id, project_id, channel_id: channel._id }
  made.result = {
    ...ids,
    number: at_meta?.display ?? credentials.phone_number_id,
    ...webhook,
    ...token,
    first_message: null,
  }
}

/** Lists the records that a broken run leaves, and says how to go on. */
function wayOn({ project_id, channel_id }: Made): string {
  if (project_id === undefined) return ''
  const channel = channel_id === undefined ? '' : `, with the channel ${channel_id}`
  return `\nThe project ${project_id} is there${channel}: \`parley init --project ${project_id}\` goes on.`
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
  const url = await dialogue.answer(known, {
    text: 'Address at which Meta reaches Parley',
    hint: 'The https address of your proxy, or of a tunnel to this machine',
    option: '--public-url',
    problem,
  })
  return checkUrl(url, '--public-url').replace(/\/+$/, '')
}

/** The live check: one message that says a word, from any phone, and the answer to it. */
async function exchange(result: Result, options: Options, signal: AbortSignal) {
  const { project_id, channel_id, number } = result
  const minutes = options.wait as number
  begin('6. A first message')
  const own = result.token ?? (await checkToken(connectAsOperator(options).api, project_id, result.token_id, minutes))
  const api = connectWith(options, own)
  try {
    const last = await lastReceived(api)
    const word = makeWord()
    note(`Write “${word}” to ${number} on WhatsApp now, from any phone. Ctrl-C ends the wait.`)
    const from = await senderOf(api, { channel_id, word, last, minutes, signal })
    done(`${from} wrote it.`)
    const answer_id = await replyTo(api, channel_id, from)
    done(`The answer was sent (${answer_id}).`)
    return { from, answer_id }
  } finally {
    if (result.token === null) await api.call('DELETE', '/v1/me/token').catch(() => {})
  }
}

function tell({ project_id, channel_id, number, webhook_url, token_id, token, first_message }: Result): void {
  begin(first_message ? 'The number works in both directions.' : 'The number is connected.')
  printLine(
    fields([
      ['project', project_id],
      ['channel', channel_id],
      ['number', number],
      ['webhook', webhook_url],
      ['token', token ?? `${token_id} (shown when it was made)`],
    ]),
  )
  const once = token === null ? '' : 'The token is shown this once: keep it now. '
  note(`${once}Send with POST /v1/messages; docs/first_steps.md goes on from here.`)
}

function parseMinutes(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of minutes.')
}
