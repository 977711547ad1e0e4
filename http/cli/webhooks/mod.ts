import { type Command, InvalidArgumentError, Option } from 'commander'
import { checkUrl, connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { listen } from '../listener/listen.ts'
import { withExamples } from '../options/examples.ts'
import { parseList } from '../options/list.ts'
import { addDeliveryCommands } from './deliveries.ts'
import { addPollCommand } from './fetch_events.ts'
import { addReconcileCommand } from './reconcile.ts'
import { addRecoverCommand } from './recovery.ts'
import { addRedeliverCommand } from './redelivery.ts'
import { addSigningCommands } from './signing.ts'
import { addCreateCommand } from './subscribe.ts'
import { addSubscriptionCommands } from './subscriptions.ts'

type Options = TokenOptions & {
  events: string[]
  port: number
  url?: string
  forward?: string
  respond?: number
  json?: boolean
}

export function addWebhooksCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .summary('watch webhooks arrive, look at failures, send again')
    .description('Works with the outbound webhooks of a project.')

  const command = withTokenOptions(webhooks.command('listen'))
    .summary('receive webhooks here and print them')
    .description(
      'Subscribes this machine to events, prints each delivery and whether both of its signatures are valid, and ' +
        'deletes the subscription on Ctrl-C. After a restart of the server it subscribes again. A development start ' +
        'delivers to 127.0.0.1; any other server needs the address of a tunnel (--url).',
    )
    .addOption(
      new Option('--events <list>', 'event types separated by commas; * stands for anything')
        .default(['*'], 'all')
        .argParser(parseList),
    )
    .addOption(
      new Option('--port <number>', 'port to listen on, 1 to 65535').default(0, 'a free one').argParser(parsePort),
    )
    .option('--url <url>', 'public address of this machine, such as a tunnel, if not 127.0.0.1')
    .option('--forward <url>', 'forward each delivery to this address and return its response')
    .option('--respond <status>', 'answer with this status (default: 200)', parseStatus)
    .option('--json', 'print a JSON document a line')
    .action(async (options: Options) => {
      for (const name of ['url', 'forward'] as const) if (options[name]) checkUrl(options[name], `--${name}`)
      await listen(() => connectAsProject(options), { ...options, patterns: options.events })
    })
  withExamples(command, [
    'parley webhooks listen',
    'parley webhooks listen --events "whatsapp.message.*,crm.ticket.updated"',
    'parley webhooks listen --forward http://127.0.0.1:3000/hooks',
    'parley webhooks listen --json | jq .event.data',
    'parley webhooks listen --respond 503   # watch the retries',
  ])
  addCreateCommand(webhooks)
  addSubscriptionCommands(webhooks)
  addSigningCommands(webhooks)
  addDeliveryCommands(webhooks)
  addPollCommand(webhooks)
  addRedeliverCommand(webhooks)
  addRecoverCommand(webhooks)
  addReconcileCommand(webhooks)
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('It must be a port, 1 to 65535.')
}

function parseStatus(text: string): number {
  if (/^[2-5]\d\d$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be an HTTP status from 200 to 599.')
}
