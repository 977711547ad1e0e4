/** Files on their way into a mail: opened when it is sent, streamed, never held whole. */
import { Readable } from 'node:stream'
import { type Dispatcher, interceptors, request } from 'undici'
import { Refusal } from '../../../runtime/mod.ts'
import type { OutboundGuard } from '../../outbound/mod.ts'
import { AttachmentFailed } from './failure.ts'
import type { EmailAttachment } from './request.ts'

/** An uploaded file, opened. Rejects with `Refusal` when there is none, with anything else when it cannot be had now. */
export type OpenFile = (
  media_id: string,
) => Promise<{ stream: Readable; filename: string | null; mime_type: string | null }>

export type OpenAttachment = {
  content: Readable
  filename: string
  mime_type: string | undefined
  /** Gives the file back, whether it was read or not. */
  close(): void
}

/** Beyond this, encoded for mail, servers refuse what they get: 25 MB is the usual bound of the whole. */
const MOST_BYTES = 25 * 1024 * 1024
const MOST_REDIRECTIONS = 3

export class Attachments {
  readonly #open: OpenFile
  readonly #outside: Dispatcher
  readonly #links: Dispatcher

  constructor(open: OpenFile, guard: OutboundGuard) {
    this.#open = open
    this.#outside = guard.createDispatcher()
    // Each hop is a connection of the guard's.
    this.#links = this.#outside.compose(interceptors.redirect({ maxRedirections: MOST_REDIRECTIONS }))
  }

  /** @throws {AttachmentFailed} */
  async open(attachment: EmailAttachment, signal: AbortSignal): Promise<OpenAttachment> {
    const { stream, filename, mime_type } =
      'media_id' in attachment
        ? await this.#openFile(attachment.media_id)
        : await this.#openLink(attachment.link, signal)
    // An error after the mail was given up has nobody left to hear it.
    stream.on('error', () => {})
    return {
      content: Readable.from(bounded(stream), { objectMode: false }),
      filename: attachment.filename ?? filename ?? 'attachment',
      mime_type: mime_type ?? undefined,
      close: () => void stream.destroy(),
    }
  }

  async close(): Promise<void> {
    await this.#outside.destroy()
  }

  async #openFile(media_id: string) {
    try {
      return await this.#open(media_id)
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw new AttachmentFailed('retry', 'attachment_unavailable', 'The uploaded file cannot be read at the moment.')
    }
  }

  async #openLink(link: string, signal: AbortSignal) {
    const answer = await request(link, { dispatcher: this.#links, signal }).catch((error) => {
      throw new AttachmentFailed(...unreachable(error))
    })
    const { statusCode: status, headers, body } = answer
    if (status !== 200) {
      body.on('error', () => {}).destroy()
      const is_passing = status === 408 || status === 429 || status >= 500
      const message = `The link of the attachment was answered with ${status}.`
      throw new AttachmentFailed(is_passing ? 'retry' : 'refuse', 'attachment_unavailable', message)
    }
    if (Number(headers['content-length'] ?? 0) > MOST_BYTES) {
      body.on('error', () => {}).destroy()
      throw tooLarge()
    }
    const type = headers['content-type']
    return { stream: body, filename: filenameOf(link), mime_type: typeof type === 'string' ? type : null }
  }
}

function unreachable(error: Error & { code?: string; cause?: unknown }): ['retry' | 'refuse', string, string] {
  const codes = [error.name, error.code, (error.cause as Error | undefined)?.name]
  if (codes.includes('Refused'))
    return ['refuse', 'address_forbidden', 'The link of the attachment may not be fetched.']
  if (codes.includes('UND_ERR_INVALID_ARG') || /redirect/i.test(error.message))
    return ['refuse', 'attachment_unavailable', 'The link of the attachment leads nowhere.']
  return ['retry', 'attachment_unavailable', 'The server of the attachment’s link cannot be reached.']
}

function tooLarge(): AttachmentFailed {
  const message = `An attachment may have at most ${MOST_BYTES / 1024 / 1024} MiB.`
  return new AttachmentFailed('refuse', 'attachment_too_large', message)
}

/** The last part of the path, as people see it. */
function filenameOf(link: string): string | null {
  const last = URL.parse(link)?.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last).replaceAll(/[\p{Cc}/\\]/gu, '_') || null
  } catch {
    return last || null
  }
}

/** Ends with `AttachmentFailed` when it is too large or breaks off: half a file must not look like one. */
async function* bounded(source: Readable): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MOST_BYTES) throw tooLarge()
      yield chunk
    }
  } catch (error) {
    if (error instanceof AttachmentFailed) throw error
    throw new AttachmentFailed('retry', 'attachment_unavailable', 'The attachment broke off.')
  }
}
