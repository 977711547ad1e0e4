/**
 * The files of a reply or a note: chosen, refused before anything is uploaded, uploaded with their progress, and ready to be sent. No
 * DOM.
 */

import { signal } from '@preact/signals'
import { nameOfChannel } from '../../../crm/channels.ts'
import { errorText, faultOf } from '../../../data/errors.ts'
import type { Project } from '../../../data/project.ts'
import type { DraftAttachment } from '../../../records/inbox_records.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { type Channel, MAX_FILES, refusalOfFile, typeOfFile } from '../channel_rules.ts'
import { uploadFile } from './upload.ts'

export type Upload = typeof uploadFile
/** `type` is that of the message. `progress` from 0 to 1. `address` shows a picture that this page has. */
export type FileEntry = {
  key: string
  name: string
  mime: string
  size: number
  type: string
  state: 'uploading' | 'ready' | 'failed' | 'refused'
  progress: number
  reason?: string | undefined
  media_id?: string | undefined
  address?: string | undefined
  file?: File | undefined
}

export class Files {
  entries = signal<readonly FileEntry[]>([])
  #project
  #channel
  #upload
  #purpose
  #onChange
  #uploads = new Map<string, AbortController>()

  constructor({
    project,
    channel,
    upload = uploadFile,
    purpose = 'message',
    onChange,
  }: {
    project: Pick<Project, 'api'>
    channel(): Channel | undefined
    upload?: Upload | undefined
    purpose?: 'message' | 'note'
    onChange(): void
  }) {
    this.#project = project
    this.#channel = channel
    this.#upload = upload
    this.#purpose = purpose
    this.#onChange = onChange
  }

  get is_uploading() {
    return this.entries.value.some(({ state }) => state === 'uploading')
  }

  /** True when a file can never be sent as it is. */
  get has_failed() {
    return this.entries.value.some(({ state }) => state === 'failed' || state === 'refused')
  }

  add(files: Iterable<File>) {
    for (const file of files) {
      const channel = this.#channel()
      const name = this.#purpose === 'note' ? 'A note' : channel ? nameOfChannel(channel.channel_type) : 'The channel'
      const is_full = this.entries.peek().length >= MAX_FILES
      const reason = is_full
        ? `A ${this.#purpose} has ${MAX_FILES} files at most.`
        : channel
          ? refusalOfFile(file, channel.composing, name)
          : 'The contact has no channel that works.'
      if (is_full && this.entries.peek().length > MAX_FILES) continue
      const entry: FileEntry = {
        key: crypto.randomUUID(),
        name: file.name || 'file',
        mime: file.type,
        size: file.size,
        type: (channel && typeOfFile(file, channel.composing)) ?? 'document',
        state: reason ? 'refused' : 'uploading',
        progress: 0,
        reason,
        file,
        address: file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined,
      }
      this.entries.value = [...this.entries.peek(), entry]
      if (!reason) void this.#send(entry)
    }
  }

  retry(key: string) {
    const entry = this.entries.peek().find((one) => one.key === key)
    if (entry?.state === 'failed') void this.#send(entry)
  }

  remove(key: string) {
    this.#uploads.get(key)?.abort()
    for (const entry of this.entries.peek()) if (entry.key === key) forget(entry)
    this.entries.value = this.entries.peek().filter((one) => one.key !== key)
    this.#onChange()
  }

  clear() {
    for (const upload of this.#uploads.values()) upload.abort()
    for (const entry of this.entries.peek()) forget(entry)
    this.entries.value = []
  }

  /** @returns the message that carries it */
  messageOf({ type, media_id, name }: FileEntry): AnyRecord {
    return { type, media_id, ...(type === 'document' && { filename: name.slice(0, 240) }) }
  }

  /** The files as a draft keeps them. */
  stored(): DraftAttachment[] {
    return this.entries.peek().flatMap(({ media_id, type, name, mime, size }) => {
      return media_id ? [{ media_id, type, filename: name.slice(0, 240), mime_type: mime, file_size: size }] : []
    })
  }

  /** Shows the files of a draft. Those that are here already keep their pictures; uploads under way go on. */
  restore(stored: readonly DraftAttachment[]) {
    const here = this.entries.peek()
    const kept = here.filter(({ media_id }) => !media_id || stored.some((one) => one.media_id === media_id))
    const added = stored
      .filter(({ media_id }) => !here.some((one) => one.media_id === media_id))
      .map(({ media_id, type = 'document', filename = 'file', mime_type = '', file_size = 0 }) => {
        const common = { key: media_id, media_id, type, name: filename, mime: mime_type, size: file_size }
        return {
          ...common,
          state: 'ready' as const,
          progress: 1,
          address: this.#addressOf(media_id, type),
        }
      })
    this.entries.value = [...kept, ...added]
  }

  #addressOf(media_id: string, type: string) {
    const channel = this.#channel()
    if (!channel || !['image', 'sticker'].includes(type)) return undefined
    return this.#project.api.address(`media/${encodeURIComponent(media_id)}/download?phone_number_id=${channel._id}`)
  }

  async #send({ key, file, type }: FileEntry) {
    const { api } = this.#project
    const channel = this.#channel()
    if (!file || !channel) return
    const abort = new AbortController()
    this.#uploads.set(key, abort)
    this.#change(key, { state: 'uploading', progress: 0, reason: undefined })
    const form = new FormData()
    form.append('file', file, file.name || 'file')
    if (this.#purpose === 'note') form.append('purpose', 'note')
    else form.append('phone_number_id', channel._id)
    try {
      const { media_id, mime_type } = await this.#upload(api.address('media/upload'), form, {
        key,
        signal: abort.signal,
        onProgress: (progress) => this.#change(key, { progress }),
      })
      // The server knows the type by the bytes.
      const known = typeOfFile({ name: file.name, type: mime_type }, channel.composing) ?? type
      this.#change(key, { state: 'ready', progress: 1, media_id, mime: mime_type, type: known })
      this.#onChange()
    } catch (error) {
      if (!abort.signal.aborted) this.#change(key, { state: 'failed', reason: errorText(faultOf(error)) })
    } finally {
      this.#uploads.delete(key)
    }
  }

  #change(key: string, change: Partial<FileEntry>) {
    this.entries.value = this.entries.peek().map((one) => (one.key === key ? { ...one, ...change } : one))
  }
}

function forget({ address }: FileEntry) {
  if (address?.startsWith('blob:')) URL.revokeObjectURL(address)
}
