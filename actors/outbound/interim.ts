/**
 * Lets `100 Continue` pass as any other interim answer. A client has to read over 1xx answers that it did not ask for
 * (RFC 9110, 15.2); undici does so, except for 100, at which it cuts the connection. The status becomes 102 before undici
 * reads it.
 *
 *  I1 A byte changes only at the head of an answer: from the begin of a request until the head of its final answer.
 *  I2 At most the bytes of one status line's beginning are held back.
 */
import type { Socket } from 'node:net'

const REQUEST = /^(?:GET|POST|PUT|PATCH|DELETE) /
const STATUS = /^HTTP\/\d\.\d 1\d\d$/
const EXAMPLE = 'HTTP/1.1 100'
const NEEDED = EXAMPLE.length
const END_OF_HEAD = '\r\n\r\n'

/** Call once with each new connection, before anything is written. */
export function readOverContinue(socket: Socket): Socket {
  const head = new AnswerHead()
  const { read, write } = socket
  socket.write = function (this: Socket, ...args: Parameters<Socket['write']>) {
    if (typeof args[0] === 'string' && REQUEST.test(args[0])) head.begin()
    return write.apply(this, args)
  } as Socket['write']
  socket.read = function (this: Socket, size?: number) {
    const chunk: Buffer | null = read.call(this, size)
    return size === undefined && chunk !== null ? head.passed(chunk) : chunk
  }
  return socket
}

/** Follows the heads of the answers to one request. */
class AnswerHead {
  /** `status`: the next bytes are a status line. `interim`: they are the rest of an interim answer. */
  #expects: 'status' | 'interim' | 'nothing' = 'nothing'
  #held = Buffer.alloc(0)
  /** The last bytes of an interim answer that came before. */
  #before = ''

  begin(): void {
    this.#expects = 'status'
  }

  /** The chunk for the parser; null while more bytes are needed. */
  passed(chunk: Buffer): Buffer | null {
    if (this.#expects === 'nothing') return chunk
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    this.#held = Buffer.alloc(0)
    let at = 0
    for (;;) {
      if (this.#expects === 'interim') {
        const end = this.#endOfHead(bytes, at)
        if (end < 0) {
          this.#before = (this.#before + bytes.toString('latin1', Math.max(at, bytes.length - 3))).slice(-3)
          return bytes
        }
        at = end
        this.#before = ''
        this.#expects = 'status'
      }
      if (at === bytes.length) return bytes
      const line = bytes.toString('latin1', at, at + NEEDED)
      if (!STATUS.test(line + EXAMPLE.slice(line.length))) {
        this.#expects = 'nothing'
        return bytes
      }
      if (line.length < NEEDED) return this.#hold(bytes, at)
      if (line.endsWith('100')) bytes[at + NEEDED - 1] = 0x32
      this.#expects = 'interim'
      at += NEEDED
    }
  }

  /** The place after the head that began at or before `from`; negative when it is not here. */
  #endOfHead(bytes: Buffer, from: number): number {
    const across = (this.#before + bytes.toString('latin1', from, from + 3)).indexOf(END_OF_HEAD)
    if (across >= 0) return from + across + END_OF_HEAD.length - this.#before.length
    const end = bytes.indexOf(END_OF_HEAD, from)
    return end < 0 ? end : end + END_OF_HEAD.length
  }

  #hold(bytes: Buffer, at: number): Buffer | null {
    this.#held = Buffer.from(bytes.subarray(at))
    return at === 0 ? null : bytes.subarray(0, at)
  }
}
