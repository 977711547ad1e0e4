/**
 * Messages larger than the broker takes, sent in pieces. An operator's broker may take no more than the default of
 * NATS, 1 MiB, while the largest request has 1 MiB by itself and a provider's callback 4 MiB.
 *
 * The pieces of a message go to one subject over one connection, so they arrive in order; the last one carries the
 * reply subject. When a piece is lost the message does not arrive, as with any other message of core NATS.
 */

import { randomUUID } from 'node:crypto'
import { type Msg, type MsgHdrs, headers as newHeaders } from '@nats-io/transport-node'
import type { Broker } from './broker.ts'

/** `<id> <number> <count>`; numbers begin with 0. */
const PIECE = 'Parley-Piece'
/** Bytes reserved for the headers, which count towards the broker's limit. */
const HEADERS = 256
/** Maximum UTF-8 bytes of a UTF-16 unit. Texts that fit by this bound are not measured. */
const BYTES_A_UNIT = 3
/** Maximum bytes of incomplete messages, all together. */
const MAX_BYTES = 64 * 1024 * 1024
/** Milliseconds after which an incomplete message is dropped: its asker has asked again. */
const PATIENCE_MS = 10_000

/** Publishes a text, in pieces where it is too large for one message. Throws when the connection is closed. */
export function publishWhole(nats: Broker, subject: string, text: string, reply?: string): void {
  const most = (nats.info?.max_payload ?? 1024 * 1024) - HEADERS
  const options = reply === undefined ? {} : { reply }
  const bytes = text.length * BYTES_A_UNIT <= most ? undefined : Buffer.from(text)
  if (bytes === undefined || bytes.length <= most) {
    nats.publish(subject, bytes ?? text, options)
    return
  }
  const id = randomUUID()
  const count = Math.ceil(bytes.length / most)
  for (let number = 0; number < count; number++) {
    const headers = newHeaders()
    headers.set(PIECE, `${id} ${number} ${count}`)
    const piece = bytes.subarray(number * most, (number + 1) * most)
    nats.publish(subject, piece, number < count - 1 ? { headers } : { headers, ...options })
  }
}

type Begun = { pieces: Uint8Array[]; bytes: number; since: number }

/** Reassembles messages from their pieces. */
export class Pieces {
  readonly #begun = new Map<string, Begun>()
  #bytes = 0

  /** Returns the whole text with the last piece of a message, or for a message in one piece; else undefined. */
  take(message: Msg): string | undefined {
    const { data, headers } = message
    const label = labelOf(headers)
    if (label === undefined) return textOf(data)
    const [id, number, count] = label
    const begun = this.#begun.get(id) ?? { pieces: [], bytes: 0, since: performance.now() }
    if (number !== begun.pieces.length) return this.#forget(id)
    begun.pieces.push(data.slice())
    begun.bytes += data.length
    this.#bytes += data.length
    this.#begun.set(id, begun)
    if (number === count - 1) {
      this.#forget(id)
      return textOf(Buffer.concat(begun.pieces))
    }
    this.#tidy()
    return undefined
  }

  #forget(id: string): undefined {
    this.#bytes -= this.#begun.get(id)?.bytes ?? 0
    this.#begun.delete(id)
  }

  /** The oldest come first in the map. */
  #tidy(): void {
    const before = performance.now() - PATIENCE_MS
    for (const [id, { since }] of this.#begun) {
      if (since > before && this.#bytes <= MAX_BYTES) return
      this.#forget(id)
    }
  }
}

function labelOf(headers: MsgHdrs | undefined): [id: string, number: number, count: number] | undefined {
  const label = headers?.get(PIECE)
  if (!label) return undefined
  const [id = '', number, count] = label.split(' ')
  return [id, Number(number), Number(count)]
}

/** A Buffer decodes UTF-8 in half the time of a TextDecoder. */
function textOf(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
}
