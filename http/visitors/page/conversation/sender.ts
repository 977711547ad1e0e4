/** Sends the messages of the outbox, one after the other, and the bytes of their files. */

import { type AskFailed, askFailed, type Connection } from '../connection/connection.ts'
import type { Pauses } from '../connection/pauses.ts'
import type { Message, Upload, WaitingMessage } from '../messages/message.ts'
import type { Outbox } from '../messages/outbox.ts'
import { upload } from './upload.ts'

/** Refusals that no repeat changes. */
const HOPELESS = new Set([
  'MALFORMED',
  'TOO_LONG',
  'UNKNOWN_MESSAGE',
  'FILE_TOO_LARGE',
  'FILE_NOT_ACCEPTED',
  'FILE_GONE',
  'FILES_FULL',
  'ORIGIN_NOT_ALLOWED',
])
/** Attempts to send the bytes of one file while there is a connection. */
const MAX_UPLOADS = 4

export class Sender {
  /** True while messages are held back, because they were too many at once. */
  is_held = false
  #base
  #outbox
  #pauses
  #on
  #is_sending = false

  /**
   * `on.ask` asks the server, `on.isConnected()` is false while nothing can be sent. Until `on.isNamed()` only messages
   * that may have been stored are sent. `on.stored(message)` is called with each message that the server has,
   * `on.changed()` after every other change.
   */
  constructor(
    base: URL,
    outbox: Outbox,
    pauses: Pauses,
    on: {
      ask: Connection['ask']
      isConnected(): boolean
      isNamed(): boolean
      stored(message: Message): void
      changed(): void
    },
  ) {
    this.#base = base
    this.#outbox = outbox
    this.#pauses = pauses
    this.#on = on
  }

  /**
   * Sends until nothing waits or the connection is lost. One call at a time: it takes later messages, too.
   * @param only_tried Only those that may have been stored.
   */
  async send(only_tried: boolean = false) {
    if (this.#is_sending) return
    this.#is_sending = true
    try {
      for (;;) {
        const next = only_tried || !this.#on.isNamed() ? this.#outbox.nextTried : this.#outbox.next
        if (!next || !this.#on.isConnected()) return
        try {
          await this.#sendOne(next)
        } catch (error) {
          const failure = askFailed(error)
          if (failure.code === 'CANCELLED') continue
          if (failure.code === 'OFFLINE' && !next.upload) return
          const is_stuck = next.upload && this.#on.isConnected() && ++next.upload.failures > MAX_UPLOADS
          if (is_stuck || HOPELESS.has(failure.code)) {
            this.#outbox.fail(next, failure)
            this.#on.changed()
          } else await this.#hold(failure)
        }
      }
    } finally {
      this.#is_sending = false
    }
  }

  async #sendOne(waiting: WaitingMessage) {
    if (waiting.upload) await this.#upload(waiting, waiting.upload)
    this.#outbox.trying(waiting)
    const { ref, at, id } = await this.#on.ask('say', waiting.said)
    const { direction, context, message } = waiting
    this.#on.stored({ id, ref, direction, at, context, message })
  }

  /** Sends the bytes of a file, once. */
  async #upload({ said, message }: WaitingMessage, waiting: Upload) {
    if (said.type !== 'file' || said.file !== '') return
    const { blob, cancel } = waiting
    const filename = 'filename' in message ? (message.filename ?? '') : ''
    const { path } = await this.#on.ask('upload', { size: blob.size, filename })
    const stored = await upload(new URL(path, this.#base), blob, {
      signal: cancel.signal,
      progress: (part) => {
        waiting.progress = part
        this.#on.changed()
      },
    })
    said.file = stored.file
    Object.assign(message, { type: stored.type })
  }

  async #hold(failure: AskFailed) {
    this.is_held = failure.code === 'TOO_FAST'
    this.#on.changed()
    await this.#pauses.after(failure)
    this.is_held = false
    this.#on.changed()
  }
}
