/**
 * The way from one process to one server: a TCP proxy that holds or loses the server's answers while requests arrive, leads
 * elsewhere, or breaks. The server does the work; whether its client hears of it is up to the link.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Owner } from '../support/mod.ts'

/** `pass`: as they come. `hold`: all at the end. `lose`: never; their connections are reset at the end. */
export type Answers = 'pass' | 'hold' | 'lose'

/**
 * `held`: answers not passed on yet. `lossy`: its client missed one, so nothing that follows would make sense to it.
 * `doomed`: reset instead of the next answer.
 */
type Line = { client: Socket; server: Socket; held: Buffer[]; lossy: boolean; doomed: boolean }

export class Link {
  #port: number
  #listener: Server | undefined
  #answers: Answers = 'pass'
  #open = true
  readonly #lines = new Set<Line>()
  readonly #watches = new Map<string, (line: Line) => void>()

  private constructor(port: number) {
    this.#port = port
  }

  /** A link to this port of 127.0.0.1. */
  static async start(t: Owner, port: number): Promise<Link> {
    const link = new Link(port)
    const listener = createServer((client) => link.#join(client))
    link.#listener = listener
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    t.teardown(async () => {
      link.cut()
      await new Promise((resolve) => listener.close(resolve))
    })
    return link
  }

  get port(): number {
    return (this.#listener!.address() as AddressInfo).port
  }

  /** The same address by way of this link. */
  through(url: string): string {
    const address = new URL(url)
    address.port = String(this.port)
    return address.href
  }

  /** What becomes of answers from now on. Back at `pass`, held ones are delivered and lines that lost some are reset. */
  answer(how: Answers): void {
    this.#answers = how
    if (how !== 'pass') return
    for (const line of [...this.#lines]) {
      if (line.lossy) this.#reset(line)
      else for (const piece of line.held.splice(0)) line.client.write(piece)
    }
  }

  /** Resets every connection that stands. */
  break(): void {
    for (const line of [...this.#lines]) this.#reset(line)
  }

  /** Resets every connection, and each new one at once, until `join`. */
  cut(): void {
    this.#open = false
    this.break()
  }

  join(): void {
    this.#open = true
  }

  /** From now on the link leads to another port; what stands is reset. */
  leadTo(port: number): void {
    this.leadOnTo(port)
    this.break()
  }

  /** The same for connections made from now on, while those that stand go on. */
  leadOnTo(port: number): void {
    this.#port = port
  }

  /**
   * Calls back with the next piece to the server that holds this text, once the piece is on its way and before any answer
   * to it. The returned function ends the wait.
   */
  next(text: string, act: (line: { loseAnswer(): void }) => void): () => void {
    this.#watches.set(text, (line) => {
      this.#watches.delete(text)
      act({
        loseAnswer() {
          line.doomed = true
        },
      })
    })
    return () => void this.#watches.delete(text)
  }

  #join(client: Socket): void {
    client.on('error', () => {})
    if (!this.#open) {
      client.resetAndDestroy()
      return
    }
    client.setNoDelay(true)
    const server = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    const line: Line = { client, server, held: [], lossy: false, doomed: false }
    this.#lines.add(line)
    server.on('error', () => {})
    client.on('data', (piece) => {
      pass(piece, client, server)
      this.#notice(piece, line)
    })
    server.on('data', (piece) => {
      if (line.doomed) this.#reset(line)
      else if (this.#answers === 'hold') line.held.push(piece)
      else if (this.#answers === 'lose') line.lossy = true
      else pass(piece, server, client)
    })
    client.on('close', () => {
      this.#lines.delete(line)
      server.destroySoon()
    })
    server.on('close', () => {
      // What is held back hides the end, too.
      if (this.#answers === 'pass') client.destroySoon()
      else line.lossy = true
    })
  }

  #notice(piece: Buffer, line: Line): void {
    for (const [text, act] of this.#watches) if (piece.includes(text)) act(line)
  }

  #reset({ client, server }: Line): void {
    client.resetAndDestroy()
    server.destroy()
  }
}

function pass(piece: Buffer, from: Socket, to: Socket): void {
  if (to.write(piece)) return
  from.pause()
  to.once('drain', () => from.resume())
}
