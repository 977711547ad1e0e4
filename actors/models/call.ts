import { setImmediate } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { givePermit, mayBegin } from '../../runtime/mod.ts'
import { type Exchange, type ExchangeRequest, exchange } from '../outbound/mod.ts'
import type { AnswerMeasure } from './answer_measure.ts'
import type { CallOptions } from './model.ts'

type Request = Pick<ExchangeRequest, 'url' | 'headers' | 'body' | 'read_limit'>

/** Bytes of a stream that are read at once. Others are served before the next ones. */
const PIECE = 8 * 1024

/** Ends the answer that the library reads, when the exchange beneath has ended. `ModelCall.exchange` has the reason. */
class AnswerEnded extends Error {
  override name = 'AnswerEnded'
}

/**
 * One call: its deadline, which begins before the wait for a place, its signal, and the exchange that it makes.
 *
 * Failures are told by the exchange, which knows the status, the bytes and the end of the connection. The errors of the
 * library above are not read: their types and texts change with its versions.
 */
export class ModelCall {
  /** The outcome of the exchange; null while it runs, and before. */
  exchange: Exchange | null = null
  /** The head of a stream has come. */
  has_head = false
  /** The answer was given up for its size or its form. */
  is_too_large = false
  readonly #abort = new AbortController()
  readonly #outer: AbortSignal[]
  readonly #ends_at: number
  readonly #timer: NodeJS.Timeout
  #is_late = false
  readonly #end = () => this.#abort.abort()

  constructor({ signal, deadline_ms }: CallOptions, closing: AbortSignal) {
    this.#outer = [signal, closing]
    this.#ends_at = performance.now() + deadline_ms
    this.#timer = setTimeout(() => {
      this.#is_late = true
      this.#end()
    }, deadline_ms)
    for (const outer of this.#outer) {
      if (outer.aborted) this.#end()
      else outer.addEventListener('abort', this.#end, { once: true })
    }
    givePermit(this.#abort.signal, () => mayBegin(signal))
  }

  /** Ends with the caller's signal, with the node, and with the deadline. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The deadline passed before the exchange began. */
  get is_late(): boolean {
    return this.#is_late
  }

  get left_ms(): number {
    return this.#ends_at - performance.now()
  }

  /** Gives up the rest of an answer. */
  stop(): void {
    this.#end()
  }

  release(): void {
    clearTimeout(this.#timer)
    for (const outer of this.#outer) outer.removeEventListener('abort', this.#end)
  }

  /** A whole answer. */
  async post(dispatcher: Dispatcher, request: Request): Promise<Exchange> {
    this.exchange = await exchange(dispatcher, this.#of(request))
    return this.exchange
  }

  /** An answer as `fetch` gives it, its body when it has come whole. Rejects with `AnswerEnded` unless its status is 2xx. */
  async fetchWhole(dispatcher: Dispatcher, request: Request, measure: AnswerMeasure): Promise<Response> {
    const { status, is_complete, body } = await this.post(dispatcher, request)
    if (status === null || status < 200 || status > 299 || !is_complete) throw new AnswerEnded()
    this.is_too_large = !measure.take(body)
    if (this.is_too_large) throw new AnswerEnded()
    return new Response(hasNoBody(status) ? null : new Uint8Array(body), { status })
  }

  /** The same with a body that can be read as it comes. It errors with `AnswerEnded` when the answer is cut. */
  fetchStream(dispatcher: Dispatcher, request: Request, measure: AnswerMeasure): Promise<Response> {
    return new Promise((resolve, reject) => {
      let controller: ReadableStreamDefaultController<Uint8Array> | undefined
      let read = Promise.resolve()
      const readPieces = async (chunk: Buffer) => {
        for (let at = 0; at < chunk.length && controller; at += PIECE) {
          const piece = chunk.subarray(at, at + PIECE)
          if (measure.take(piece)) controller.enqueue(piece)
          else giveUp()
          await setImmediate()
        }
      }
      const giveUp = () => {
        this.is_too_large = true
        controller?.error(new AnswerEnded())
        controller = undefined
        this.stop()
      }
      const stream = {
        head: (status: number) => {
          this.has_head = true
          const start = (own: ReadableStreamDefaultController<Uint8Array>) => {
            controller = own
          }
          const cancel = () => {
            controller = undefined
            this.stop()
          }
          resolve(new Response(hasNoBody(status) ? null : new ReadableStream({ start, cancel }), { status }))
        },
        data: (chunk: Buffer) => {
          read = read.then(() => readPieces(chunk))
        },
      }
      void exchange(dispatcher, { ...this.#of(request), stream }).then(async (ended) => {
        this.exchange = ended
        await read
        if (controller && ended.is_complete) controller.close()
        else {
          controller?.error(new AnswerEnded())
          reject(new AnswerEnded())
        }
      })
    })
  }

  #of(request: Request): ExchangeRequest {
    const deadline_ms = Math.max(1, this.left_ms)
    // The exchange has the deadline from here on, so that it says `timeout` itself.
    clearTimeout(this.#timer)
    return { ...request, method: 'POST', deadline_ms, signal: this.signal }
  }
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 205
}
