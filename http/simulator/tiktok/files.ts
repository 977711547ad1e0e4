import { randomUUID } from 'node:crypto'
import type { Answer, SimulatorRequest } from '../answer.ts'
import { behaveAs } from '../behave.ts'
import type { World } from '../provider.ts'
import { DIALECT, success, TikTokError } from './errors.ts'

type Json = Record<string, unknown>
type ReceivedFile = { mime_type: string; bytes: Buffer; message_id: string }

/** The smallest PNG: the file of a person when the control call has no bytes. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** Files that are kept; the oldest are dropped. */
const MAX_FILES = 1000

/** Files that people sent, in memory. */
export class ReceivedFiles {
  readonly #by_id = new Map<string, ReceivedFile>()

  /** Keeps the bytes of a message (`data` in base64, else a picture of one pixel), and returns its node for the webhook. */
  add(message_id: string, { data = PIXEL, mime_type = 'image/png', ...node }: Json): Json {
    const media_id = typeof node.media_id === 'string' ? node.media_id : randomUUID()
    const bytes = Buffer.from(String(data), 'base64')
    this.#by_id.set(media_id, { mime_type: String(mime_type), bytes, message_id })
    if (this.#by_id.size > MAX_FILES) this.#by_id.delete(this.#by_id.keys().next().value!)
    return { ...node, media_id }
  }

  get(media_id: unknown): ReceivedFile | undefined {
    return this.#by_id.get(String(media_id))
  }
}

/** POST /business/message/media/download/. Throws TikTokError. */
export function giveAddress(
  world: World,
  files: ReceivedFiles,
  account_id: string,
  { host }: SimulatorRequest,
  { media_id, message_id }: Json,
): Answer {
  const behaviour = world.faults.apply({ channel: 'tiktok', operation: 'media_download', phone_number_id: account_id })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    if (files.get(media_id)?.message_id !== message_id)
      throw new TikTokError(40007, `Media ${media_id} does not exist.`)
    return success({ download_url: `http://${host}/tiktok_media/${media_id}` })
  })
}

/** GET /tiktok_media/{media_id}: with the token in the header `x-user`. */
export function giveFile(world: World, files: ReceivedFiles, { segments, x_user }: SimulatorRequest): Answer {
  const file = files.get(segments[1])
  const is_known = world.accounts.of('tiktok').some((each) => each.access_token === x_user)
  const behaviour = world.faults.apply({ channel: 'tiktok', operation: 'download' })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    if (!is_known) return { status: 403 }
    return file ? { status: 200, content_type: file.mime_type, body: file.bytes } : { status: 404 }
  })
}
