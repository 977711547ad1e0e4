/** Adds the files of a question to its messages: pictures and documents as they are, recordings as the words in them. */
import { type BlobStore, type Database, findLinkedMedia, newDate } from '../../storage/mod.ts'
import type { Question, QuestionFile } from '../assistants/mod.ts'
import type { CallOptions, ModelMessage, ModelPart, Models } from '../models/mod.ts'

/** Bytes of one file. */
const MAX_FILE_BYTES = 8 * 1024 * 1024
/** Bytes of the files of a question, which are in memory until it is answered. */
const MAX_QUESTION_BYTES = 12 * 1024 * 1024
/** Share of the call's time for recordings. */
const TRANSCRIPTION = 0.5
/** Recordings whose words are kept, because each step of a turn and later turns have them again. */
const MAX_HEARD = 500
const MAX_HEARD_LENGTH = 20_000

export type QuestionFilesOptions = { database: Database; blobs: BlobStore; models: Models }

export class QuestionFiles {
  readonly #options: QuestionFilesOptions
  /** The words of recordings by file and model, the last used at the end. */
  readonly #heard = new Map<string, string>()

  constructor(options: QuestionFilesOptions) {
    this.#options = options
  }

  /** The messages with the contents of the files. A file that cannot be read is named, with what is wrong. */
  async fill(project_id: string, question: Question, options: CallOptions): Promise<ModelMessage[]> {
    const messages = [...question.messages]
    let room = MAX_QUESTION_BYTES
    for (const file of question.files.toReversed()) {
      const part =
        this.#knownWords(question.assistant.model, file) ??
        (await this.#readPart(project_id, question.assistant.model, file, Math.min(room, MAX_FILE_BYTES), options))
      if (part.type === 'file') room -= part.data.byteLength
      const message = messages[file.at]
      if (message?.role === 'user') messages[file.at] = { ...message, parts: [...message.parts, part] }
    }
    return messages
  }

  async #readPart(
    project_id: string,
    model: string,
    file: QuestionFile,
    max_bytes: number,
    options: CallOptions,
  ): Promise<ModelPart> {
    const data = await this.#read(project_id, file, max_bytes)
    return data ? this.#partOf(model, file, data, options) : unread(file, 'it is gone, or too large')
  }

  async #partOf(model: string, file: QuestionFile, data: Uint8Array, options: CallOptions): Promise<ModelPart> {
    const { kind, media_type, name } = file
    if (kind !== 'audio' || !this.#options.models.find(model)?.transcribes) return { type: 'file', media_type, data }
    const deadline_ms = options.deadline_ms * TRANSCRIPTION
    const recording = { model, data, media_type, name: name ?? `recording.${media_type.split('/')[1] ?? 'ogg'}` }
    const heard = await this.#options.models.transcribe(recording, { ...options, deadline_ms })
    if (heard.kind !== 'transcript') return unread(file, 'its words could not be made out')
    this.#keepWords(model, file, heard.text.slice(0, MAX_HEARD_LENGTH))
    return wordsPart(heard.text)
  }

  /** A recording that was paid for is not sent again. */
  #knownWords(model: string, file: QuestionFile): ModelPart | undefined {
    const key = keyOf(model, file)
    const words = this.#heard.get(key)
    if (words === undefined) return undefined
    this.#heard.delete(key)
    this.#heard.set(key, words)
    return wordsPart(words)
  }

  #keepWords(model: string, file: QuestionFile, words: string): void {
    this.#heard.set(keyOf(model, file), words)
    if (this.#heard.size <= MAX_HEARD) return
    const [oldest] = this.#heard.keys()
    this.#heard.delete(oldest!)
  }

  async #read(project_id: string, { media_id }: QuestionFile, max_bytes: number): Promise<Uint8Array | undefined> {
    const { database, blobs } = this.#options
    const row = await findLinkedMedia(database, media_id, newDate())
    if (!row?.blob_key || row.project_id !== project_id) return undefined
    const found = await blobs.get(row.blob_key)
    if (!found) return undefined
    const pieces: Buffer[] = []
    let size = 0
    for await (const piece of found.stream as AsyncIterable<Buffer>) {
      size += piece.byteLength
      if (size > max_bytes) {
        found.stream.destroy()
        return undefined
      }
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }
}

const keyOf = (model: string, { media_id }: QuestionFile) => `${media_id} ${model}`

function wordsPart(words: string): ModelPart {
  return { type: 'text', text: `(The words of the recording, as a machine heard them:) ${words}` }
}

function unread({ name, kind }: QuestionFile, why: string): ModelPart {
  return { type: 'text', text: `(The ${kind} file${name ? ` "${name}"` : ''} could not be read: ${why}. Say so.)` }
}
