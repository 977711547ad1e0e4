/** A client that sends and reads the packets of both protocols one by one, over web sockets or by polling. */
import { type Answer, type Client, startClient } from '../e2e/client.ts'
import type { Owner } from '../support/mod.ts'

type Close = { code: number }
type Packet = string | ArrayBuffer

export class PacketSocket {
  readonly opened: Promise<unknown>
  readonly closed: Promise<Close>
  readonly #socket: WebSocket
  readonly #packets: Packet[] = []
  readonly #waiting: ((packet: Packet) => void)[] = []

  constructor(t: Owner, url: string, query: string) {
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}?${query}`)
    this.#socket.binaryType = 'arraybuffer'
    this.#socket.addEventListener('message', ({ data }) => {
      const next = this.#waiting.shift()
      if (next) next(data as Packet)
      else this.#packets.push(data as Packet)
    })
    this.opened = new Promise((resolve) => this.#socket.addEventListener('open', resolve))
    this.closed = new Promise((resolve) => {
      this.#socket.addEventListener('close', ({ code }) => resolve({ code }))
      // Node reports a refused upgrade as an error alone.
      this.#socket.addEventListener('error', () => resolve({ code: 1006 }))
    })
    t.teardown(() => this.#socket.close())
  }

  /** The next packet. Rejects when the connection ends before. */
  async next(): Promise<Packet> {
    const packet = this.#packets.shift()
    if (packet !== undefined) return packet
    const ended = this.closed.then(({ code }) => Promise.reject(new Error(`closed with ${code} before a packet`)))
    return Promise.race([new Promise<Packet>((resolve) => this.#waiting.push(resolve)), ended])
  }

  /** The next packet that is no ping. Pings are answered. */
  async nextMessage(): Promise<Packet> {
    const packet = await this.next()
    if (packet !== '2') return packet
    this.send('3')
    return this.nextMessage()
  }

  send(...packets: (string | Uint8Array<ArrayBuffer>)[]): void {
    for (const packet of packets) this.#socket.send(packet)
  }
}

const WEBSOCKET = 'EIO=4&transport=websocket'
const POLLING = 'EIO=4&transport=polling'

/** A client of the server at `url`. */
export class ProtocolClient {
  readonly #t: Owner
  readonly #http: Client
  readonly #url: string

  constructor(t: Owner, url: string) {
    this.#t = t
    this.#http = startClient(t)
    this.#url = url
  }

  socket(query = WEBSOCKET): PacketSocket {
    return new PacketSocket(this.#t, this.#url, query)
  }

  /** A socket after the greeting of Engine.IO. */
  async greeted(): Promise<PacketSocket> {
    const socket = this.socket()
    await socket.next()
    return socket
  }

  /** A socket in the main namespace. */
  async connected(): Promise<PacketSocket> {
    const socket = await this.greeted()
    socket.send('40')
    await socket.nextMessage()
    await socket.nextMessage()
    return socket
  }

  /** A web socket that takes over from polling. */
  upgrading(sid: string): PacketSocket {
    return this.socket(`${WEBSOCKET}&sid=${sid}`)
  }

  /** A request of long-polling. */
  poll(query = POLLING, method = 'GET', raw?: string): Promise<Answer> {
    return this.#http(method, `${this.#url}?${query}`, raw === undefined ? {} : { raw })
  }
}
