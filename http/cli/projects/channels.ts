/** `parley channels`. Creating one takes secrets: `parley init` asks for those of WhatsApp, the operator API takes any. */

import { type Command, InvalidArgumentError } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { cleared } from '../crm/spelling.ts'
import { withExamples } from '../options/examples.ts'
import type { Channel, IgnoredCallback } from '../records/generated.ts'
import {
  addResource,
  type Json,
  type Options,
  optionFields,
  type Resource,
  recordPath,
  tell,
} from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine } from '../terminal/terminal.ts'
import { addHistoryCommand } from './history.ts'

function parsePace(text: string): number | 'default' {
  if (text === 'default') return text
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, or default.')
}

function body({ on, off, ...options }: Options): Json {
  return {
    ...optionFields(options, { name: 'name' }),
    ...cleared(optionFields(options, { messagesPerSecond: 'messages_per_second' }), 'default', null),
    ...(Boolean(on || off) && { is_active: on === true }),
  }
}

/** `disconnected: the token has expired`. A channel that is off has a status, too. */
function stateOf({ is_active, status, status_reason }: Channel): string {
  return `${is_active ? '' : 'off, '}${status}${status_reason ? `: ${status_reason}` : ''}`
}

const channels: Resource<Channel> = {
  name: 'channels',
  one: 'a channel',
  many: 'channels',
  owner: 'project',
  lists_all: true,
  headings: ['id', 'project', 'type', 'account', 'name', 'state'],
  row: (channel) => {
    const { _id, project_id, channel_type, provider_account_id, name } = channel
    return [_id, project_id, channel_type, provider_account_id ?? '', name, stateOf(channel)]
  },
  flexible: 5,
  lines: (channel) => [
    ['channel', channel._id],
    ['name', channel.name],
    ['type', `${channel.channel_type}, ${channel.provider}`],
    ['account', channel.provider_account_id ?? 'none'],
    ['state', stateOf(channel)],
    ['pace', channel.messages_per_second === null ? 'default' : `${channel.messages_per_second} messages a second`],
    ['webhook', channel.webhook_path ?? 'none'],
    ['credentials', channel.credentials_set.join(', ') || 'none'],
    ['project', channel.project_id],
    ['made', channel.created_at],
  ],
  update: {
    description: 'Renames a channel, switches it on or off, or sets how many messages a second it sends.',
    add: (command) =>
      command
        .option('--name <name>', 'its new name')
        .option('--messages-per-second <number>', 'what its account may send, or default', parsePace)
        .option('--on', 'switch it on')
        .option('--off', 'switch it off: sends are refused, and messages of people still arrive'),
    body,
    examples: ['parley channels update 66f2a0c1d4e5f60718293a4b --messages-per-second 20'],
  },
  deletion: 'A channel with messages left to send cannot be deleted. Its messages and contacts stay.',
  examples: {
    list: ['parley channels list', `parley channels list --json | jq '.[] | select(.status=="disconnected")'`],
    show: ['parley channels show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley channels delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addChannelCommands(program: Command): void {
  const description = 'Shows the channels of all projects with the reason why one does not work, and changes them.'
  const group = addResource(program, channels, 'the channels of projects, and their state', description)
  const check = withOperatorOptions(group.command('check'))
    .argument('<id>', 'its id (parley channels list)')
    .summary('ask the provider')
    .description(
      'Asks the provider of a channel whether it accepts the credentials, and fetches its templates. Exit code 1 when it does not.',
    )
    .option('--json', 'print JSON')
    .action(checkChannel)
  withExamples(check, ['parley channels check 66f2a0c1d4e5f60718293a4b'])
  addHistoryCommand(group)
}

async function checkChannel(id: string, options: Options): Promise<void> {
  const { api } = connectAsOperator(options)
  const answer: Check = await api.call('POST', `${recordPath(channels, id)}/check`)
  if (options.json) printJson(answer)
  else {
    tell(channels, options, answer.channel)
    printLine(templatesLine(answer.templates))
    if (answer.ok && answer.reason) printLine(answer.reason)
    for (const one of answer.ignored_callbacks ?? []) printLine(ignoredLine(one))
  }
  if (!answer.ok) throw new CommandFailure(`The provider does not accept the channel: ${answer.reason}`)
}

function ignoredLine({ kind, name, count, last_at, sample_fields = [] }: Ignored): string {
  const what = kind === 'account' ? `about the account ${name}` : `with ${name}`
  const fields = sample_fields.length > 0 ? `; its fields: ${sample_fields.map(printable).join(', ')}` : ''
  return `Left out: ${count === 1 ? 'a webhook call' : `${count} webhook calls`} ${what}, last at ${last_at}${fields}.`
}

/** `sample_fields` is missing from servers of an earlier version. */
type Ignored = Omit<IgnoredCallback, 'sample_fields'> & { sample_fields?: string[] }

type Check = {
  ok: boolean
  reason: string | null
  channel: Channel
  templates: { synced: number; reason: string | null }
  ignored_callbacks?: Ignored[]
}

function templatesLine({ synced, reason }: Check['templates']): string {
  return reason ? `Its templates were not fetched: ${reason}` : `${synced} of its templates were fetched.`
}
