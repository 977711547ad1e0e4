/** The visitor's messages that wait to be sent, in order, and those that will never be. */

/** @typedef {import('../page_types/message.ts').WaitingMessage} WaitingMessage */

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
   * The visitor does not want to send the message.
   *
   * @param {string} id
   */
  remove(id) {
    this.#memory.drop(id)
    this.#messages = this.#messages.filter((one) => one.id !== id)
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
