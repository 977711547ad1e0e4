/**
 * Imports that this page began: files and addresses, each with its progress until its text is there, or the reason why
 * not. Two are sent at a time; those that the server has no room for wait and are sent again. No DOM.
 */

import { type Signal, signal } from '@preact/signals'
import { errorText, faultOf } from '../../data/errors.ts'
import type { ProjectApi } from '../../data/project_api.ts'
import type { KnowledgeImport } from '../../records/knowledge.ts'
import { importReason } from '../words.ts'
import type { SendFile } from './upload_file.ts'

type UploadState = 'waiting' | 'sending' | 'converting' | 'done' | 'failed'
/** `share` of the file that was sent, from 0 to 1. `node_id` is the document, once there is one. */
export type Upload = {
  key: number
  name: string
  parent_id: string | null
  source: { file: File } | { url: string }
  state: UploadState
  share: number
  node_id: string | null
  error: string | null
  can_repeat: boolean
}

const AT_ONCE = 2
/**
 * Entries of the list; the oldest finished ones go first.
 *
 * @public for its tests
 */
export const MAX = 500
const MAX_BYTES = 32 * 1024 * 1024
/** Times that an import is sent when the server has no room. */
const MAX_TRIES = 30
/** Imports that are looked at together. */
const MAX_LOOKS = 8
const PAUSE_S = 5
const MAX_PAUSE_S = 60

export class Uploads {
  list: Signal<readonly Upload[]> = signal([])
  #api
  #send
  #wait
  #last = 0
  #sending = 0
  #is_closed = false
  /** Imports that are read at the moment. */
  #reading = new Set<number>()

  constructor(
    api: Pick<ProjectApi, 'get' | 'post' | 'address'>,
    send: SendFile,
    wait: (seconds: number) => Promise<void> = (seconds) =>
      new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  ) {
    this.#api = api
    this.#send = send
    this.#wait = wait
  }

  addFiles(files: Iterable<File>, parent_id: string | null) {
    this.#add([...files].map((file) => ({ name: file.name, parent_id, source: { file }, error: problemOf(file) })))
  }

  addAddresses(urls: readonly string[], parent_id: string | null) {
    this.#add(urls.map((url) => ({ name: url.replace(/^https?:\/\//, ''), parent_id, source: { url }, error: null })))
  }

  /** Sends a failed one again. */
  again(key: number) {
    const upload = this.list.value.find((one) => one.key === key)
    if (upload?.state !== 'failed') return
    this.#put(key, { state: 'waiting', error: null, share: 0, node_id: null })
    this.#next()
  }

  /** Takes those off the list that have ended. */
  clear() {
    this.list.value = this.list.value.filter(({ state }) => state !== 'done' && state !== 'failed')
  }

  /** Hears that a document has changed. */
  hear(node_id: string) {
    for (const { key, node_id: own, state } of this.list.value) {
      if (own === node_id && state === 'converting') void this.#readImport(key, own)
    }
  }

  /** Looks at the first imports that are under way; the server works at two of a project at once. */
  poll() {
    const under_way = this.list.value.filter(({ state }) => state === 'converting')
    for (const { key, node_id } of under_way.slice(0, MAX_LOOKS)) if (node_id) void this.#readImport(key, node_id)
  }

  get isBusy() {
    return this.list.value.some(({ state }) => state === 'waiting' || state === 'sending')
  }

  close() {
    this.#is_closed = true
  }

  #add(added: Pick<Upload, 'name' | 'parent_id' | 'source' | 'error'>[]) {
    const uploads = added.map((one) => ({
      ...one,
      key: ++this.#last,
      state: (one.error ? 'failed' : 'waiting') as UploadState,
      share: 0,
      node_id: null,
      can_repeat: one.error === null,
    }))
    const all = [...this.list.value, ...uploads]
    let surplus = all.length - MAX
    const kept = all.filter(({ state }) => !(surplus > 0 && (state === 'done' || state === 'failed') && surplus-- > 0))
    this.list.value = kept.slice(0, MAX)
    this.#next()
  }

  #next() {
    while (this.#sending < AT_ONCE && !this.#is_closed) {
      const upload = this.list.value.find(({ state }) => state === 'waiting')
      if (!upload) return
      this.#sending++
      this.#put(upload.key, { state: 'sending' })
      void this.#import(upload).finally(() => {
        this.#sending--
        this.#next()
      })
    }
  }

  async #import(upload: Upload) {
    for (let tries = 1; ; tries++) {
      try {
        const node = await this.#request(upload)
        this.#put(upload.key, { state: 'converting', share: 1, node_id: node._id, name: node.name })
        return await this.#readImport(upload.key, node._id)
      } catch (error) {
        const { status, retry_after_s } = faultOf(error)
        if ((status !== 503 && status !== 429) || tries === MAX_TRIES || this.#is_closed) {
          return this.#put(upload.key, { state: 'failed', error: errorText(faultOf(error)) })
        }
        await this.#wait(Math.min(retry_after_s ?? PAUSE_S, MAX_PAUSE_S))
      }
    }
  }

  #request({ key, parent_id, source }: Upload) {
    if ('url' in source) return this.#api.post('knowledge/nodes/import-url', { source_url: source.url, parent_id })
    const form = new FormData()
    if (parent_id !== null) form.append('parent_id', parent_id)
    form.append('file', source.file, source.file.name)
    const address = this.#api.address('knowledge/nodes/import')
    return this.#send(address, form, (share) => this.#put(key, { share }))
  }

  async #readImport(key: number, node_id: string) {
    if (this.#reading.has(key)) return
    this.#reading.add(key)
    try {
      const { status, name, error }: KnowledgeImport = await this.#api.get(`knowledge/nodes/${node_id}/import`)
      if (status === 'done') this.#put(key, { state: 'done', name })
      else if (status === 'failed') this.#put(key, { state: 'failed', error: importReason(error) })
    } catch (error) {
      if (faultOf(error).status === 404) this.#put(key, { state: 'failed', error: 'The document was deleted.' })
    } finally {
      this.#reading.delete(key)
    }
  }

  #put(key: number, change: Partial<Upload>) {
    this.list.value = this.list.value.map((one) => (one.key === key ? { ...one, ...change } : one))
  }
}

function problemOf({ size }: { size: number; name: string }) {
  if (size > MAX_BYTES) return 'It is larger than 32 MiB.'
  return size === 0 ? 'It is empty, or a folder. Choose the files in it.' : null
}
