import { createHash } from 'node:crypto'
import { badRequest } from './errors.ts'
import type { Upload } from './parameters.ts'

export type StoredFile = Upload & { file_id: string; file_unique_id: string; file_path: string }

const MIB = 1024 * 1024
/** Maximum total bytes; beyond it the oldest files are dropped. */
const TOTAL_LIMIT = 256 * MIB
/** Maximum size for getFile. */
const DOWNLOAD_LIMIT = 20 * MIB

/** The smallest PNG: the content of every link. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** Files that were uploaded, sent by link or received, in memory. Ids are valid for all bots: a simplification. */
export class FileStore {
  readonly #by_id = new Map<string, StoredFile>()
  #bytes = 0
  #sequence = 0

  add(folder: string, upload: Upload): StoredFile {
    const number = ++this.#sequence
    const unique = createHash('sha256').update(`${folder} ${number}`).digest('base64url')
    const extension = /\.\w{1,8}$/.exec(upload.filename)?.[0] ?? ''
    const file = {
      ...upload,
      file_id: `BQACAgIAAxkBAAI${unique}`,
      file_unique_id: unique.slice(0, 15),
      file_path: `${folder}/file_${number}${extension}`,
    }
    this.#by_id.set(file.file_id, file)
    this.#bytes += file.bytes.byteLength
    for (const [id, oldest] of this.#by_id) {
      if (this.#bytes <= TOTAL_LIMIT) break
      this.#by_id.delete(id)
      this.#bytes -= oldest.bytes.byteLength
    }
    return file
  }

  get(file_id: string): StoredFile | undefined {
    return this.#by_id.get(file_id)
  }

  /** The answer of getFile. Throws BotApiError. */
  describe(file_id: unknown): Record<string, unknown> {
    const file = this.#by_id.get(String(file_id))
    if (!file) throw badRequest('invalid file_id')
    if (file.bytes.byteLength > DOWNLOAD_LIMIT) throw badRequest('file is too big')
    const { file_unique_id, file_path, bytes } = file
    return { file_id: file.file_id, file_unique_id, file_size: bytes.byteLength, file_path }
  }

  atPath(file_path: string): StoredFile | undefined {
    for (const file of this.#by_id.values()) if (file.file_path === file_path) return file
    return undefined
  }
}
