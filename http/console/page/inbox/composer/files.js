/**
 * The files of a reply: chosen, refused before anything is uploaded, uploaded with their progress, and ready to be sent. No
 * DOM.
 */
import { signal } from '@preact/signals'
import { errorText, faultOf } from '../../data/errors.js'
import { nameOfChannel } from '../channel.js'
import { MAX_FILES, refusalOfFile, typeOfFile } from './channel_rules.js'
import { uploadFile } from './upload.js'

/** @typedef {import('../../../page_types/inbox_records.ts').DraftAttachment} DraftAttachment */
/** @typedef {import('./channel_rules.js').Channel} Channel */
/** @typedef {typeof uploadFile} Upload */
/**
 * `type` is that of the message. `progress` from 0 to 1. `address` shows a picture that this page has.
 *
 * @typedef {{
 *   key: string
 *   name: string
 *   mime: string
 *   size: number
 *   type: string
 *   state: 'uploading' | 'ready' | 'failed' | 'refused'
 *   progress: number
 *   reason?: string | undefined
 *   media_id?: string | undefined
 *   address?: string | undefined
 *   file?: File | undefined
 * }} FileEntry
 */

export class Files {
  entries = signal(/** @type {readonly FileEntry[]} */ ([]))
  #project
  #channel
  #upload
  #onChange
  /** @type {Map<string, AbortController>} */
  #uploads = new Map()

  /**
   * @param {{
   *   project: Pick<import('../../data/project.js').Project, 'api'>
   *   channel(): Channel | undefined
   *   upload?: Upload | undefined
   *   onChange(): void
   * }} options
   */
  constructor({ project, channel, upload = uploadFile, onChange }) {
    this.#project = project
    this.#channel = channel
    this.#upload = upload
    this.#onChange = onChange
  }

  get is_uploading() {
    return this.entries.value.some(({ state }) => state === 'uploading')
  }

  /** True when a file can never be sent as it is. */
  get has_failed() {
    return this.entries.value.some(({ state }) => state === 'failed' || state === 'refused')
  }

  /** @param {Iterable<File>} files */
  add(files) {
    for (const file of files) {
      const channel = this.#channel()
      const name = channel ? nameOfChannel(channel.channel_type) : 'The channel'
      const is_full = this.entries.peek().length >= MAX_FILES
      const reason = is_full
        ? `A message has ${MAX_FILES} files at most.`
        : channel
          ? refusalOfFile(file, channel.composing, name)
          : 'The contact has no channel that works.'
      if (is_full && this.entries.peek().length > MAX_FILES) continue
      /** @type {FileEntry} */
      const entry = {
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

  /** @param {string} key */
  retry(key) {
    const entry = this.entries.peek().find((one) => one.key === key)
    if (entry?.state === 'failed') void this.#send(entry)
  }

  /** @param {string} key */
  remove(key) {
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

  /**
   * @param {FileEntry} entry
   * @returns {import('../../../page_types/record.ts').AnyRecord} the message that carries it
   */
  messageOf({ type, media_id, name }) {
    return { type, media_id, ...(type === 'document' && { filename: name.slice(0, 240) }) }
  }

  /** The files as a draft keeps them. @returns {DraftAttachment[]} */
  stored() {
    return this.entries.peek().flatMap(({ media_id, type, name, mime, size }) => {
      return media_id ? [{ media_id, type, filename: name.slice(0, 240), mime_type: mime, file_size: size }] : []
    })
  }

  /**
   * Shows the files of a draft. Those that are here already keep their pictures; uploads under way go on.
   *
   * @param {readonly DraftAttachment[]} stored
   */
  restore(stored) {
    const here = this.entries.peek()
    const kept = here.filter(({ media_id }) => !media_id || stored.some((one) => one.media_id === media_id))
    const added = stored
      .filter(({ media_id }) => !here.some((one) => one.media_id === media_id))
      .map(({ media_id, type = 'document', filename = 'file', mime_type = '', file_size = 0 }) => {
        const common = { key: media_id, media_id, type, name: filename, mime: mime_type, size: file_size }
        return {
          ...common,
          state: /** @type {const} */ ('ready'),
          progress: 1,
          address: this.#addressOf(media_id, type),
        }
      })
    this.entries.value = [...kept, ...added]
  }

  /**
   * @param {string} media_id
   * @param {string} type
   */
  #addressOf(media_id, type) {
    const channel = this.#channel()
    if (!channel || !['image', 'sticker'].includes(type)) return undefined
    return this.#project.api.address(`media/${encodeURIComponent(media_id)}/download?phone_number_id=${channel._id}`)
  }

  /** @param {FileEntry} entry */
  async #send({ key, file, type }) {
    const { api } = this.#project
    const channel = this.#channel()
    if (!file || !channel) return
    const abort = new AbortController()
    this.#uploads.set(key, abort)
    this.#change(key, { state: 'uploading', progress: 0, reason: undefined })
    const form = new FormData()
    form.append('file', file, file.name || 'file')
    form.append('phone_number_id', channel._id)
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

  /**
   * @param {string} key
   * @param {Partial<FileEntry>} change
   */
  #change(key, change) {
    this.entries.value = this.entries.peek().map((one) => (one.key === key ? { ...one, ...change } : one))
  }
}

/** @param {FileEntry} entry */
function forget({ address }) {
  if (address?.startsWith('blob:')) URL.revokeObjectURL(address)
}
