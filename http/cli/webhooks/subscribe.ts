import { type Command, Option } from 'commander'
import { checkUrl, connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { parseList } from '../options/list.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printJson, printLine, remark } from '../terminal/terminal.ts'

type Options = TokenOptions & {
  name: string
  url?: string
  poll?: boolean
  events: string[]
  payload?: string
  format?: string
  ed25519?: boolean
  json?: boolean
}

export function addCreateCommand(webhooks: Command): void {
  const command = withTokenOptions(webhooks.command('create'))
    .summary('subscribe an address, or a receiver that polls')
    .description('Creates a subscription and prints its id and its secret, which is shown only now.')
    .requiredOption('--name <name>', '3 to 120 characters')
    .requiredOption('--events <list>', 'event types and patterns such as crm.ticket.*, separated by commas', parseList)
    .option('--url <url>', 'address of the receiver')
    .option('--poll', 'no address: the receiver fetches the events (parley webhooks poll)')
    .addOption(new Option('--payload <payload>', 'the record, or its address').choices(['full', 'thin']))
    .addOption(new Option('--format <format>', 'form of the body').choices(['standard', 'cloudevents']))
    .option('--ed25519', "sign with the project's public key, too")
    .option('--json', 'print JSON')
    .action(createWebhook)
  withExamples(command, [
    'parley webhooks create --name Orders --url https://example.com/hooks --events "crm.ticket.*,whatsapp.message.received"',
    'parley webhooks create --name Warehouse --poll --events "crm.*" --payload thin',
  ])
}

async function createWebhook(options: Options): Promise<void> {
  const { name, url, poll, events, payload, format, ed25519, json } = options
  if (Boolean(url) === Boolean(poll)) throw new CommandFailure('Give either --url or --poll.', 2)
  if (url) checkUrl(url, '--url')
  const target = poll ? { mode: 'poll' } : { url, ed25519 }
  const fields = { name, events, payload, format, ...target }
  const webhook = await connectAsProject(options).call<{ id: string; secret: string }>('POST', '/v1/webhooks', fields)
  if (json) return printJson(webhook)
  printLine(webhook.id)
  if (!poll) remark(`Its secret, which is not shown again: ${webhook.secret}`)
}
