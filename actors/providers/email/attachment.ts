/** Files attached to a mail: opened when it is sent, streamed, never held whole. */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Refusal } from '../../../runtime/mod.ts'
import { FetchFailed, fetchFile, type OutboundGuard } from '../../outbound/mod.ts'
import { AttachmentFailed } from './failure.ts'
import type { EmailAttachment } from './request.ts'

/** Opens an uploaded file. Rejects with `Refusal` when there is none, with any other error when it is not available now. */
export type OpenFile = (
  media_id: string,
) => Promise<{ stream: Readable; filename: string | null; mime_type: string | null }>

/** Limits for fetching a link: until the mail is given up. */
type OpenLimits = { deadline_ms: number; signal: AbortSignal }

export type OpenAttachment = {
  content: Readable
  filename: string
  mime_type: string | undefined
  /** Releases the file, whether it was read or not. */
  close(): void
}

/** Maximum file size. Encoded for mail, larger ones are refused by servers: 25 MB is the usual limit of a whole mail. */
const MAX_BYTES = 25 * 1024 * 1024

export class Attachments {
  readonly #open: OpenFile
  readonly #links: Dispatcher

  constructor(open: OpenFile, guard: OutboundGuard) {
    this.#open = open
    this.#links = guard.createDispatcher()
  }

  /** @throws {AttachmentFailed} */
  async open(attachment: EmailAttachment, limits: OpenLimits): Promise<OpenAttachment> {
    const { stream, filename, mime_type } =
      'media_id' in attachment
        ? await this.#openFile(attachment.media_id)
        : await this.#openLink(attachment.link, limits)
    // An error after the mail was given up has no listener left.
    stream.on('error', () => {})
    return {
      content: Readable.from(bounded(stream), { objectMode: false }),
      filename: attachment.filename ?? filename ?? 'attachment',
      mime_type: mime_type ?? undefined,
      close: () => void stream.destroy(),
    }
  }

  async close(): Promise<void> {
    await this.#links.destroy()
  }

  async #openFile(media_id: string) {
    try {
      return await this.#open(media_id)
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw new AttachmentFailed('retry', 'attachment_unavailable', 'The uploaded file cannot be read at the moment.')
    }
  }

  async #openLink(link: string, { signal, deadline_ms }: OpenLimits) {
    const options = { dispatcher: this.#links, limit: MAX_BYTES, deadline_ms, signal }
    return await fetchFile(link, options).catch((error: FetchFailed) => {
      throw ofLink(error)
    })
  }
}

function ofLink(failure: FetchFailed): AttachmentFailed {
  const { code, is_final } = failure
  if (code === 'too_large') return tooLarge()
  const slug = code === 'address_forbidden' ? code : 'attachment_unavailable'
  return new AttachmentFailed(is_final ? 'refuse' : 'retry', slug, `The attachment: ${failure.message}`, 'message')
}

function tooLarge(): AttachmentFailed {
  const message = `An attachment may have at most ${MAX_BYTES / 1024 / 1024} MiB.`
  return new AttachmentFailed('refuse', 'attachment_too_large', message, 'message')
}

/** Fails with `AttachmentFailed` when the file is too large or breaks off: half a file must not look complete. */
async function* bounded(source: Readable): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BYTES) throw tooLarge()
      yield chunk
    }
  } catch (error) {
    if (error instanceof AttachmentFailed) throw error
    if (error instanceof FetchFailed) throw ofLink(error)
    throw new AttachmentFailed('retry', 'attachment_unavailable', 'The attachment broke off.')
  }
}
