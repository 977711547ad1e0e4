/**
 * The provider adapter for the web chat, which we serve ourselves. A message is passed to the visitor's sockets, on
 * whichever node they are, and it is stored: a visitor who is away reads it later. So a send succeeds as soon as it was
 * published.
 */

import { newDate } from '../../../storage/mod.ts'
import type { Json } from '../json.ts'
import type { Payload } from '../payload.ts'
import type { BuildOptions, Credentials, Hook, Outcome, Provider, SendFailure } from '../provider.ts'
import { SIGNED_CALL_HEADER } from '../signed_call.ts'
import { checkCarried } from '../unsupported_message.ts'
import { readCall } from './hook.ts'
import { refOf, sourcesIn, type VisitorMessage, type VisitorNote, withLinks } from './visitor_message.ts'

export type WebOptions = {
  /** Publishes a note to every node. It may be lost: pages catch up from stored messages. */
  tell: (note: VisitorNote) => void | Promise<void>
}

/** The request as it waits to be sent. Requests of the release before have no time and no id. */
type Request = Omit<VisitorNote, 'message'> & { message: Omit<VisitorMessage, 'at'> & { at?: string } }

const STOPPED: SendFailure = { kind: 'retry', code: 'aborted', message: 'The node is stopping.', maybe_accepted: false }

export class Web implements Provider {
  readonly window_hours = null
  /** Only keeps one channel's broadcast from filling the broker. */
  readonly pace = { per_second: 500 }
  readonly confirms = false
  readonly settles_doubt = 'repeat'
  readonly early_statuses = false
  readonly hook: Hook = { signature_header: SIGNED_CALL_HEADER, read: readCall }
  readonly #tell: WebOptions['tell']

  constructor({ tell }: WebOptions) {
    this.#tell = tell
  }

  build(message: Payload, { account, to, context, opaque, fileOf, created_at, meta_data }: BuildOptions): Json {
    checkCarried('web', message)
    const request: Request = {
      channel_id: account.channel_id,
      user_id: to,
      message: {
        id: opaque,
        ref: refOf(opaque),
        direction: 'outbound',
        ...(created_at && { at: created_at.toISOString() }),
        context: context?.message_id ?? null,
        message: withLinks(message, fileOf),
        ...sourcesIn(meta_data),
      },
    }
    return request
  }

  async send(_: Credentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    if (signal?.aborted) return { failure: STOPPED }
    const { message, ...to } = request as Request
    await this.#tell({ ...to, message: { at: newDate().toISOString(), ...message } })
    return { sent: message.ref }
  }

  /** There is no external provider to ask. */
  async probe() {
    return { account: {} }
  }

  async close(): Promise<void> {}
}
