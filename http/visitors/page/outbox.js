/** The visitor's messages that wait to be sent, in order, and those that will never be. */

/** @typedef {import('../page_types/message.ts').WaitingMessage} WaitingMessage */

export class Outbox {
  /** @type {WaitingMessage[]} */
  #messages = []

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

  /**
   * @param {import('../page_types/message.ts').VisitorInput} said
   * @param {import('../page_types/content.ts').Content} shown How the page shows it.
   */
  add(said, shown) {
    const id = newId()
    const at = new Date().toISOString()
    const context = 'about' in said && said.type !== 'reaction' ? said.about : null
    this.#messages.push({
      id,
      said: { ...said, id },
      ref: id,
      direction: 'inbound',
      at,
      context,
      message: shown,
      pending: true,
    })
  }

  /**
   * The server has the message with this `ref`, which ends with the id that it has here.
   *
   * @param {string} ref
   */
  arrived(ref) {
    this.#messages = this.#messages.filter(({ id }) => !ref.endsWith(`-${id}`))
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
