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

export type QuestionFilesOptions = { database: Database; blobs: BlobStore; models: Models }

export class QuestionFiles {
  readonly #options: QuestionFilesOptions

  constructor(options: QuestionFilesOptions) {
    this.#options = options
  }

  /** The messages with the contents of the files. A file that cannot be read is named, with what is wrong. */
  async fill(project_id: string, question: Question, options: CallOptions): Promise<ModelMessage[]> {
    const messages = [...question.messages]
    let room = MAX_QUESTION_BYTES
    for (const file of question.files.toReversed()) {
      const data = await this.#read(project_id, file, Math.min(room, MAX_FILE_BYTES))
      room -= data?.byteLength ?? 0
      const part = data
        ? await this.#partOf(question.assistant.model, file, data, options)
        : unread(file, 'it is gone, or too large')
      const message = messages[file.at]
      if (message?.role === 'user') messages[file.at] = { ...message, parts: [...message.parts, part] }
    }
    return messages
  }

  async #partOf(model: string, file: QuestionFile, data: Uint8Array, options: CallOptions): Promise<ModelPart> {
    const { kind, media_type, name } = file
    if (kind !== 'audio' || !this.#options.models.find(model)?.transcribes) return { type: 'file', media_type, data }
    const deadline_ms = options.deadline_ms * TRANSCRIPTION
    const recording = { model, data, media_type, name: name ?? `recording.${media_type.split('/')[1] ?? 'ogg'}` }
    const heard = await this.#options.models.transcribe(recording, { ...options, deadline_ms })
    if (heard.kind !== 'transcript') return unread(file, 'its words could not be made out')
    return { type: 'text', text: `(The words of the recording, as a machine heard them:) ${heard.text}` }
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

function unread({ name, kind }: QuestionFile, why: string): ModelPart {
  return { type: 'text', text: `(The ${kind} file${name ? ` "${name}"` : ''} could not be read: ${why}. Say so.)` }
}
