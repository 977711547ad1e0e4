/** Secrets and keys that sign deliveries. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { parseSpan, shortTime } from '../options/time_option.ts'
import { printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { webhookPath } from './subscriptions.ts'

type Key = { id: string; public_key: string; created_at: string; valid_until: string | null }
type Options = TokenOptions & { json?: boolean }
type RotateOptions = Options & { grace?: number }

const MAX_S = 604_800

export function addSigningCommands(webhooks: Command): void {
  const secret = withTokenOptions(webhooks.command('rotate-secret'))
    .summary('replace the secret of a subscription')
    .description(
      'Replaces the secret and prints the new one, which is shown only now. Without --grace the old one ends.',
    )
    .argument('<id>', 'the subscription (parley webhooks list)')
    .addOption(graceOption('the old secret'))
    .option('--json', 'print JSON')
    .action(rotateSecret)
  withExamples(secret, [
    'parley webhooks rotate-secret wh_66f2a0c1d4e5f60718293a4e',
    'parley webhooks rotate-secret wh_66f2a0c1d4e5f60718293a4e --grace 1h --json | jq -r .secret',
  ])

  const list = withTokenOptions(webhooks.command('signing-keys'))
    .summary('list the public keys of the project')
    .description('Lists the Ed25519 keys with which deliveries are signed where a subscription has ed25519 set.')
    .option('--json', 'print JSON')
    .action(listKeys)
  withExamples(list, ['parley webhooks signing-keys', 'parley webhooks signing-keys --json | jq -r .[0].public_key'])

  const key = withTokenOptions(webhooks.command('rotate-signing-key'))
    .summary('replace the Ed25519 key of the project')
    .description('Replaces the Ed25519 key and prints the new public key. Without --grace the old key ends.')
    .addOption(graceOption('the old key'))
    .option('--json', 'print JSON')
    .action(rotateKey)
  withExamples(key, ['parley webhooks rotate-signing-key --grace 1d'])
}

function graceOption(what: string): Option {
  return new Option('--grace <time>', `${what} signs too for this time: 30m, 12h or 7d`).argParser(parseGrace)
}

/** Seconds. */
function parseGrace(text: string): number {
  const ms = parseSpan(text)
  if (ms !== undefined && ms <= MAX_S * 1000) return ms / 1000
  throw new InvalidArgumentError('Use 30m, 12h or 7d, a week at most.')
}

type Rotated = { secret: string; previous_secret_until: string | null }

async function rotateSecret(id: string, { grace: grace_s, json, ...options }: RotateOptions): Promise<void> {
  const path = `${webhookPath(id)}/rotate-secret`
  const webhook: Rotated = await connectAsProject(options).call('POST', path, { grace_s })
  if (json) return printJson(webhook)
  const { previous_secret_until: until } = webhook
  printLine(webhook.secret)
  remark(until ? `The old secret signs too until ${until}.` : 'The old secret is no longer used.')
}

async function listKeys({ json, ...options }: Options): Promise<void> {
  const { data }: { data: Key[] } = await connectAsProject(options).call('GET', '/v1/webhooks/signing-keys')
  if (json) return printJson(data)
  if (data.length === 0) return remark('There is no key: a subscription with ed25519 set makes one.')
  const rows = data.map(({ public_key, created_at, valid_until }) => [
    public_key,
    shortTime(created_at),
    valid_until ? shortTime(valid_until) : 'further notice',
  ])
  process.stdout.write(table(['public key', 'made (UTC)', 'signs until (UTC)'], rows, 0))
}

async function rotateKey({ grace: grace_s, json, ...options }: RotateOptions): Promise<void> {
  const key: Key = await connectAsProject(options).call('POST', '/v1/webhooks/signing-keys/rotate', { grace_s })
  if (json) return printJson(key)
  printLine(key.public_key)
}
