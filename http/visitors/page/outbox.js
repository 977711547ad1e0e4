/** The visitor's messages that wait to be sent, in order, and those that will never be. */

/** @typedef {import('../page_types/message.ts').WaitingMessage} WaitingMessage */

/** As the server: a larger file is refused before it is sent. */
const MAX_BYTES = 20 * 1024 * 1024

export class Outbox {
  /** @type {WaitingMessage[]} */
  #messages
  #memory
  #order = 0

  /** @param {import('./memory.js').Memory} memory */
  constructor(memory) {
    this.#memory = memory
    this.#messages = memory.waiting
  }

  get all() {
    return this.#messages
  }

  /** Reactions are shown with their message. */
  get shown() {
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
   * @param {import('../page_types/message.ts').VisitorInput} said
   * @param {import('../page_types/content.ts').Content} shown How the page shows it.
   * @param {import('../page_types/message.ts').Upload} [upload] A file, which is not kept in the storage.
   */
  add(said, shown, upload) {
    const id = newId()
    const at = new Date().toISOString()
    const context = 'about' in said && said.type !== 'reaction' ? said.about : null
    /** @type {WaitingMessage} */
    const message = {
      id,
      order: ++this.#order,
      said: { ...said, id },
      ref: id,
      direction: 'inbound',
      at,
      context,
      message: shown,
      pending: true,
      is_tried: false,
      ...(upload && { upload }),
    }
    this.#messages.push(message)
    this.#keep(message)
    return message
  }

  /**
   * A file is sent as a message of its own, in its turn.
   *
   * @param {File} file
   */
  addFile(file) {
    const { name: filename, type, size } = file
    const kind = /^(image|video|audio)\//.exec(type)?.[1] ?? 'document'
    const shown = { type: /** @type {import('../page_types/content.ts').FileKind} */ (kind), filename }
    const upload = { blob: file, progress: 0, failures: 0, cancel: new AbortController() }
    const message = this.add({ type: 'file', file: '' }, shown, upload)
    const code = size > MAX_BYTES ? 'FILE_TOO_LARGE' : size === 0 ? 'FILE_NOT_ACCEPTED' : undefined
    if (code) this.fail(message, { code, message: code })
  }

  /**
   * The message is being sent. From now on it may have been stored.
   *
   * @param {WaitingMessage} message
   */
  trying(message) {
    if (message.is_tried) return
    message.is_tried = true
    this.#keep(message)
  }

  /**
   * The server has the message with this `ref`, which ends with the id that it has here.
   *
   * @param {string} ref
   */
  arrived(ref) {
    this.#messages = this.#messages.filter(({ id }) => {
      if (!ref.endsWith(`-${id}`)) return true
      this.#memory.drop(id)
      return false
    })
  }

  /**
   * The message will never be sent.
   *
   * @param {WaitingMessage} message
   * @param {{ code: string, message: string }} refusal
   */
  fail(message, refusal) {
    message.pending = false
    message.failed = refusal.message
    message.code = refusal.code
    this.#memory.drop(message.id)
  }

  /**
   * A message that failed is sent again, as the last one. Under its id it is stored once, even when it was stored before.
   *
   * @param {string} id
   */
  retry(id) {
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

  /**
   * The visitor is somebody else now. Messages that may have been stored for the former one are not sent again.
   *
   * @param {string} code
   */
  failTried(code) {
    for (const one of this.#messages) if (one.pending && one.is_tried) this.fail(one, { code, message: code })
  }

  /**
   * The visitor does not want to send a message that waits or has failed. Returns false when it is being sent.
   *
   * @param {string} id
   */
  cancel(id) {
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

  /** @param {WaitingMessage} message */
  #keep(message) {
    if (!message.upload) this.#memory.keep(message)
  }

  /**
   * No message will be sent any more.
   *
   * @param {string} code
   */
  failAll(code) {
    for (const one of this.#messages) if (one.pending) this.fail(one, { code, message: code })
  }
}

/** Unlike `randomUUID`, it works on pages without TLS, too. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
