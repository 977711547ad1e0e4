/** The line of a visitor of the web chat: the events of `docs/channels/web.md`, over Socket.IO's protocol on a web socket. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Heard, Line, Said } from './line.ts'

type Answer = { error?: { code?: string; message?: string }; [field: string]: unknown }

const ANSWER_MS = 15_000
const AGAIN_MS = 1000

export class VisitorLine implements Line {
  readonly #base_url: string
  readonly #channel_id: string
  readonly #heard: Heard
  readonly #signal: AbortSignal
  readonly #asks = new Map<number, (answer: Answer) => void>()
  #unread: string[] = []
  #token: string | undefined
  #last_ask = 0
  #socket: WebSocket | undefined
  #is_admitted = false

  /** Connects, and again after a loss, until the signal is aborted. */
  constructor(base_url: string, channel_id: string, heard: Heard, signal: AbortSignal) {
    this.#base_url = base_url
    this.#channel_id = channel_id
    this.#heard = heard
    this.#signal = signal
    signal.addEventListener('abort', () => this.#socket?.close(), { once: true })
    this.#connect()
  }

  async say(said: Said): Promise<void> {
    this.#tell('typing', { typing: true })
    const id = randomUUID()
    if (said.kind === 'text') await this.#ask('say', { id, type: 'text', body: said.text })
    else await this.#ask('say', { id, type: 'file', file: await this.#upload(said), caption: said.text })
  }

  async read(): Promise<void> {
    const refs = this.#unread.splice(0, 100)
    if (refs.length > 0) await this.#ask('seen', { status: 'read', refs })
  }

  async #upload({ bytes, filename }: Exclude<Said, { kind: 'text' }>): Promise<string> {
    const { path } = await this.#ask('upload', { size: bytes.length, filename })
    const response = await fetch(new URL(String(path), this.#base_url), {
      method: 'POST',
      body: new Uint8Array(bytes),
      headers: { 'content-type': 'application/octet-stream' },
    })
    const { file, error } = (await response.json()) as { file: string; error?: { code: string } }
    if (error) throw new Error(`an upload of a visitor was refused: ${error.code}`)
    return file
  }

  #connect(): void {
    if (this.#signal.aborted) return
    const url = new URL('/visitor/socket.io/?EIO=4&transport=websocket', this.#base_url)
    url.protocol = url.protocol.replace('http', 'ws')
    const socket = new WebSocket(url)
    this.#socket = socket
    socket.onmessage = ({ data }) => this.#packet(socket, String(data))
    // An error is followed by this.
    socket.onclose = async () => {
      this.#is_admitted = false
      await sleep(AGAIN_MS, undefined, { signal: this.#signal }).catch(() => {})
      this.#connect()
    }
  }

  #packet(socket: WebSocket, text: string): void {
    const auth = { channel_id: this.#channel_id, ...(this.#token !== undefined && { visitor_token: this.#token }) }
    if (text === '2') socket.send('3')
    else if (text[0] === '0') socket.send(`40${JSON.stringify(auth)}`)
    else if (text.startsWith('42')) this.#event(...(JSON.parse(text.slice(2)) as [string, Record<string, unknown>]))
    else if (text.startsWith('43')) {
      const [, id, json] = /^43(\d+)(.*)$/s.exec(text)!
      this.#asks.get(Number(id))?.((JSON.parse(json!) as [Answer])[0])
    } else if (text.startsWith('44')) socket.close()
  }

  #event(name: string, value: Record<string, unknown>): void {
    if (name === 'welcome') {
      this.#token = String(value.visitor_token)
      this.#is_admitted = true
    } else if (name === 'message' && value.direction === 'outbound') {
      this.#unread.push(String(value.ref))
      this.#heard()
    }
  }

  #tell(name: string, value: object): void {
    if (this.#is_admitted) this.#socket?.send(`42${JSON.stringify([name, value])}`)
  }

  async #ask(name: string, question: object): Promise<Answer> {
    if (!this.#is_admitted) throw new Error('the web chat has no connection')
    const id = ++this.#last_ask
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#asks.set(id, resolve)
    this.#socket!.send(`42${id}${JSON.stringify([name, question])}`)
    const late = sleep(ANSWER_MS, { error: { message: 'no answer came' } } as Answer, {
      signal: this.#signal,
      ref: false,
    })
    const answer = await Promise.race([promise, late]).finally(() => this.#asks.delete(id))
    if (answer.error) throw new Error(`the web chat refused to ${name}: ${answer.error.message ?? answer.error.code}`)
    return answer
  }
}
