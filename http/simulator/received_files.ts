import { randomUUID } from 'node:crypto'
import { sampleOf } from './sample_files.ts'

type Json = Record<string, unknown>
type ReceivedFile = { mime_type: string; bytes: Buffer; message_id: string }

/** Files that are kept; the oldest are dropped. */
const MAX_FILES = 1000

/** Files that people sent on one of the platforms, in memory. */
export class ReceivedFiles {
  readonly #by_id = new Map<string, ReceivedFile>()

  /** Keeps the bytes of a message (`data` in base64, else a sample of its type), and returns its node for the webhook. */
  add(message_id: string, { data, mime_type = 'image/png', ...node }: Json): Json {
    const media_id = typeof node.media_id === 'string' ? node.media_id : randomUUID()
    const bytes = Buffer.from(String(data ?? sampleOf(String(mime_type))), 'base64')
    this.#by_id.set(media_id, { mime_type: String(mime_type), bytes, message_id })
    if (this.#by_id.size > MAX_FILES) this.#by_id.delete(this.#by_id.keys().next().value!)
    return { ...node, media_id }
  }

  get(media_id: unknown): ReceivedFile | undefined {
    return this.#by_id.get(String(media_id))
  }
}
