/** Brings the files of a mail to the hook before the mail itself, which then names them. */
import { createHash } from 'node:crypto'
import { signCall } from '../../../actors/mod.ts'
import { CommandFailure } from '../terminal/failure.ts'
import type { MailBody, MailFiles } from './parse_mail.ts'

/** The exit code that has the mail system try again later. */
const TEMPFAIL = 75
const PATIENCE_MS = 120_000
/** Refusals of one file: the mail goes on without it. */
const REFUSED = [400, 413, 507]

/**
 * Returns the mail with a `media_id` for each file that was taken, and with the reason for each that was refused. A Parley that
 * takes no files gets their names alone.
 *
 * @throws {CommandFailure} when a repeat may succeed
 */
export async function bringFiles(
  hook: string,
  secret: string,
  body: MailBody,
  files: MailFiles = [],
): Promise<MailBody> {
  const attachments = body.attachments.map((attachment) => ({ ...attachment }))
  for (const [index, bytes] of files.entries()) {
    const attachment = attachments[index]
    if (!attachment || !bytes || bytes.length === 0) continue
    const { status, text } = await bringFile(hook, secret, attachment, bytes)
    if (status === 404) break
    if (status === 200) attachment.media_id = JSON.parse(text).media_id
    else if (REFUSED.includes(status)) attachment.error = reasonIn(text)
    else throw new CommandFailure(`${hook}/files answers ${status}: ${text.slice(0, 200)}`, TEMPFAIL)
  }
  return { ...body, attachments }
}

async function bringFile(
  hook: string,
  secret: string,
  { filename, mime_type }: MailBody['attachments'][number],
  bytes: Uint8Array,
): Promise<{ status: number; text: string }> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  try {
    const response = await fetch(`${hook.replace(/\/+$/, '')}/files`, {
      method: 'POST',
      headers: {
        'content-type': /^[\w.+-]+\/[\w.+-]+$/.test(mime_type) ? mime_type : 'application/octet-stream',
        'x-parley-signature': signCall(secret, sha256, new Date()),
        'x-parley-sha256': sha256,
        ...(filename !== null && { 'x-parley-filename': encodeURIComponent(filename.toWellFormed()) }),
      },
      body: new Uint8Array(bytes),
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error }
    throw new CommandFailure(`Nobody answers at ${hook} (${cause?.message ?? message}).`, TEMPFAIL)
  }
}

function reasonIn(text: string): string {
  try {
    return String(JSON.parse(text).error.message)
  } catch {
    return 'The file was refused.'
  }
}
