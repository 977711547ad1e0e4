import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'

type Options = { hook?: string; secretFile?: string; authservId?: string }

/** Exit codes for mail systems (sysexits.h): try again later, and permanent failure. Any other code returns the mail. */
const TEMPFAIL = 75
const DATAERR = 65
/** Mail systems in use take no larger ones. */
const MAX_BYTES = 64 * 1024 * 1024
const PATIENCE_MS = 30_000

export function addEmailCommands(program: Command): void {
  const email = program
    .command('email')
    .summary('bring mails')
    .description('Delivers e-mails from a mail system to Parley.')
  const deliver = email
    .command('deliver')
    .summary('deliver one e-mail from standard input')
    .description(
      'Reads an e-mail (RFC 822) from standard input and delivers it to the inbound hook of an e-mail channel, ' +
        'signed; a bounce of a message that Parley sent marks that message as failed. Meant for the pipe of a mail ' +
        'system, so it exits with the codes of sysexits.h: 0 delivered, 65 not an e-mail, 75 try again (any other ' +
        'error, so that no e-mail is lost because of a wrong setting). An e-mail that is delivered twice is stored ' +
        'once. For an e-mail that cannot be parsed, only sender and subject are delivered.',
    )
    .addOption(
      new Option('--hook <url>', 'address of Parley and the webhook_path of the channel').env('PARLEY_EMAIL_HOOK'),
    )
    .option('--secret-file <path>', 'file with the inbound_secret of the channel (else PARLEY_EMAIL_SECRET)')
    .addOption(
      new Option(
        '--authserv-id <name>',
        'name by which your mail system signs its Authentication-Results; its verdict on the sender is passed on; several are ' +
          'divided by commas, and .example.com is any name below example.com',
      ).env('PARLEY_EMAIL_AUTHSERV_ID'),
    )
    .action(deliverMail)
  withExamples(deliver, [
    'parley email deliver --hook https://parley.example.com/providers/email/66f0a1b2c3d4e5f6a7b8c9d0 \\',
    '  --secret-file /etc/parley/inbound_secret < mail.eml',
  ])
}

async function deliverMail(options: Options): Promise<void> {
  const { hook, secret } = await settingsOf(options)
  // Only this command needs the parser and the signature; others start without them.
  const { readMail } = await import('./inbound_mail.ts')
  const read = await readMail(await readInput(), { system: options.authservId }).catch((error: Error) => {
    throw new CommandFailure(`The mail cannot be read at the moment: ${error.message}`, TEMPFAIL)
  })
  if ('unusable' in read) throw new CommandFailure(read.unusable, DATAERR)
  if ('passed_over' in read) return void process.stderr.write(`${read.passed_over}\n`)
  const { bringFiles } = await import('./bring_files.ts')
  const { body } = read
  await bring(
    hook,
    secret,
    JSON.stringify('attachments' in body ? await bringFiles(hook, secret, body, read.files) : body),
  )
}

async function settingsOf({ hook, secretFile }: Options): Promise<{ hook: string; secret: string }> {
  if (!hook) throw new CommandFailure('Where to? Give --hook or PARLEY_EMAIL_HOOK.', TEMPFAIL)
  if (!/^https?:$/.test(URL.parse(hook)?.protocol ?? '')) throw new CommandFailure('--hook must be a URL.', TEMPFAIL)
  const secret = secretFile ? await readSecret(secretFile) : process.env.PARLEY_EMAIL_SECRET
  if (!secret) throw new CommandFailure('The secret is missing: give --secret-file or PARLEY_EMAIL_SECRET.', TEMPFAIL)
  return { hook, secret }
}

async function readSecret(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    throw new CommandFailure(`The secret cannot be read: ${(error as Error).message}.`, TEMPFAIL)
  }
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    size += chunk.length
    if (size > MAX_BYTES) throw new CommandFailure(`The mail has more than ${MAX_BYTES / 1024 / 1024} MiB.`, DATAERR)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function bring(hook: string, secret: string, raw: string): Promise<void> {
  const { signCall } = await import('../../../actors/mod.ts')
  let status: number
  let text: string
  try {
    const response = await fetch(hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-parley-signature': signCall(secret, raw, new Date()) },
      body: raw,
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error }
    throw new CommandFailure(`Nobody answers at ${hook} (${cause?.message ?? message}).`, TEMPFAIL)
  }
  if (status === 200) return
  throw new CommandFailure(`${hook} answers ${status}: ${text.slice(0, 200)}`, status === 400 ? DATAERR : TEMPFAIL)
}
