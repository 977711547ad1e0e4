/** The visitor's messages that wait to be sent, in order, and those that will never be. */

import type { Content, FileKind } from './content.ts'
import type { Memory } from './memory.ts'
import type { Upload, VisitorInput, WaitingMessage } from './message.ts'

/** As the server: a larger file is refused before it is sent. */
const MAX_BYTES = 20 * 1024 * 1024

export class Outbox {
  #messages: WaitingMessage[]
  #memory
  #order = 0

  constructor(memory: Memory) {
    this.#memory = memory
    this.#messages = memory.waiting
  }

  get all() {
    return this.#messages
  }

  /** Reactions are shown with their message. */
  get visible() {
    return this.#messages.filter(({ message }) => message.type !== 'reaction')
  }

  /** The message to send next, undefined when none waits. */
  get next() {
    return this.#messages.find(({ pending }) => pending)
  }

  /** The same among those that may have been stored. */
  get nextTried() {
    return this.#messages.find(({ pending, is_tried }) => pending && is_tried)
  }

  /**
   * @param content How the page shows it.
   * @param upload A file, which is not kept in the storage.
   */
  add(said: VisitorInput, content: Content, upload?: Upload) {
    const id = newId()
    const at = new Date().toISOString()
    const context = 'about' in said && said.type !== 'reaction' ? said.about : null
    const message: WaitingMessage = {
      id,
      order: ++this.#order,
      said: { ...said, id },
      ref: id,
      direction: 'inbound',
      at,
      context,
      message: content,
      pending: true,
      is_tried: false,
      ...(upload && { upload }),
    }
    this.#messages.push(message)
    this.#keep(message)
    return message
  }

  /** A file is sent as a message of its own, in its turn. */
  addFile(file: File) {
    const { name: filename, type, size } = file
    const kind = /^(image|video|audio)\//.exec(type)?.[1] ?? 'document'
    const content = { type: kind as FileKind, filename }
    const upload = { blob: file, progress: 0, failures: 0, cancel: new AbortController() }
    const message = this.add({ type: 'file', file: '' }, content, upload)
    const code = size > MAX_BYTES ? 'FILE_TOO_LARGE' : size === 0 ? 'FILE_NOT_ACCEPTED' : undefined
    if (code) this.fail(message, { code, message: code })
  }

  /** The message is being sent. From now on it may have been stored. */
  trying(message: WaitingMessage) {
    if (message.is_tried) return
    message.is_tried = true
    this.#keep(message)
  }

  /** The server has the message with this `ref`, which ends with the id that it has here. */
  arrived(ref: string) {
    this.#messages = this.#messages.filter(({ id }) => {
      if (!ref.endsWith(`-${id}`)) return true
      this.#memory.drop(id)
      return false
    })
  }

  /** The message will never be sent. */
  fail(message: WaitingMessage, refusal: { code: string; message: string }) {
    message.pending = false
    message.failed = refusal.message
    message.code = refusal.code
    this.#memory.drop(message.id)
  }

  /**
   * A message that failed is sent again, as the last one. Under its id it is stored once, even when it was stored before.
   */
  retry(id: string) {
    const message = this.#messages.find((one) => one.id === id && one.failed)
    if (!message) return
    delete message.failed
    delete message.code
    if (message.upload && message.said.type === 'file') {
      message.said.file = ''
      message.upload = { ...message.upload, progress: 0, failures: 0, cancel: new AbortController() }
    }
    message.pending = true
    message.at = new Date().toISOString()
    this.#messages = [...this.#messages.filter((one) => one !== message), message]
    this.#keep(message)
  }

  /** The visitor is somebody else now. Messages that may have been stored for the former one are not sent again. */
  failTried(code: string) {
    for (const one of this.#messages) if (one.pending && one.is_tried) this.fail(one, { code, message: code })
  }

  /** The visitor does not want to send a message that waits or has failed. Returns false when it is being sent. */
  cancel(id: string) {
    const message = this.#messages.find((one) => one.id === id)
    if (!message || (message.is_tried && message.pending)) return false
    message.upload?.cancel.abort()
    this.#memory.drop(id)
    this.#messages = this.#messages.filter((one) => one !== message)
    return true
  }

  /** Forgets all messages. */
  clear() {
    for (const { id, upload } of this.#messages) {
      upload?.cancel.abort()
      this.#memory.drop(id)
    }
    this.#messages = []
  }

  #keep(message: WaitingMessage) {
    if (!message.upload) this.#memory.keep(message)
  }

  /** No message will be sent any more. */
  failAll(code: string) {
    for (const one of this.#messages) if (one.pending) this.fail(one, { code, message: code })
  }
}

/** Unlike `randomUUID`, it works on pages without TLS, too. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
