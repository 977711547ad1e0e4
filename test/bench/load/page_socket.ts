/** A console's socket that costs little: the frames of a web socket over TCP, for thousands of them in one process. */
import { connect, type Socket } from 'node:net'

export type Place = { port: number; cookie: string; project_id: string }
export type Watched = { position: string; resync: boolean }

const POSITION = /"position":"([^"]+)"/
/** All sockets read into this buffer: what is not a whole frame is copied. */
const BUFFER = Buffer.alloc(64 * 1024)
const EMPTY = Buffer.alloc(0)

export class PageSocket {
  position = ''
  resyncs = 0
  /** Called with the text of each `live`. */
  onLive: (text: string) => void = () => {}
  #socket: Socket | undefined
  #rest: Buffer = EMPTY
  #watched: (answer: Watched) => void = () => {}

  /** Connects, and watches the project from the last position on. Rejects when the connection ends before. */
  watch({ port, cookie, project_id }: Place): Promise<Watched> {
    this.#rest = EMPTY
    let is_open = false
    return new Promise((resolve, reject) => {
      this.#watched = resolve
      const read = (length: number, buffer: Uint8Array): boolean => {
        const piece = (buffer as Buffer).subarray(0, length)
        this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
        if (!is_open) {
          const end = this.#rest.indexOf('\r\n\r\n')
          if (end >= 0 && !this.#rest.toString('latin1', 0, 12).endsWith('101'))
            reject(new Error(this.#rest.toString()))
          is_open = end >= 0
          if (is_open) this.#rest = this.#rest.subarray(end + 4)
        }
        if (is_open) for (let text = this.#next(); text !== undefined; text = this.#next()) this.#hear(text, project_id)
        if (this.#rest.length === 0) this.#rest = EMPTY
        else if (this.#rest.buffer === BUFFER.buffer) this.#rest = Buffer.from(this.#rest)
        return true
      }
      const socket = connect({ port, host: '127.0.0.1', onread: { buffer: BUFFER, callback: read } })
      this.#socket = socket
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the connection has ended')))
      socket.write(
        `GET /console/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\n` +
          'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
          `Origin: http://127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`,
      )
    })
  }

  end(): void {
    this.#socket?.destroy()
  }

  #hear(text: string, project_id: string): void {
    if (text === '2') this.#send('3')
    else if (text[0] === '0') this.#send('40')
    else if (text.startsWith('40')) {
      const after = this.position === '' ? {} : { after: this.position }
      this.#send(`420${JSON.stringify(['watch', { project_id, ...after }])}`)
    } else if (text.startsWith('430')) {
      const [answer] = JSON.parse(text.slice(3)) as [Watched]
      this.position = answer.position
      this.#watched(answer)
    } else if (text.startsWith('42["resync"')) this.resyncs++
    else if (text.startsWith('42["live"')) {
      this.position = POSITION.exec(text)![1]!
      this.onLive(text)
    }
  }

  /** The text of the next whole frame. */
  #next(): string | undefined {
    const { length } = this.#rest
    if (length < 2) return undefined
    const short = this.#rest[1]! & 127
    const head = short === 126 ? 4 : short === 127 ? 10 : 2
    if (length < head) return undefined
    const size =
      short === 126 ? this.#rest.readUInt16BE(2) : short === 127 ? Number(this.#rest.readBigUInt64BE(2)) : short
    if (length < head + size) return undefined
    const text = this.#rest.toString('utf8', head, head + size)
    this.#rest = this.#rest.subarray(head + size)
    return text
  }

  /** Sends a text of less than 64 KiB, masked with zeros. */
  #send(text: string): void {
    const { length } = text
    const head = length < 126 ? Buffer.alloc(6) : Buffer.alloc(8)
    head[0] = 0x81
    if (length < 126) head[1] = 0x80 | length
    else {
      head[1] = 0x80 | 126
      head.writeUInt16BE(length, 2)
    }
    this.#socket?.write(Buffer.concat([head, Buffer.from(text, 'latin1')]))
  }
}
