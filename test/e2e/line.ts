/** A TCP line to a server, on which anything can go wrong. */
import { connect, createServer, type Socket } from 'node:net'
import type { Owner } from '../support/mod.ts'

export type Line = {
  /** The server's address through this line. */
  url: string
  /** Delays each piece by so long, each way, and passes no more bytes a second. Holds for the pieces from now on. */
  slow(delay_ms: number, bytes_per_s?: number): void
  /** Ends all connections. New ones may come. */
  cut(): void
  /** Ends all connections, and refuses new ones until `mend`. */
  refuse(): Promise<void>
  /** Ends all connections, and answers new ones as PostgreSQL does when it lets nobody in. */
  turnAway(code: string, message: string): void
  /** Makes all well again. */
  mend(): Promise<void>
}

/** Starts a line to the PostgreSQL, or any other TCP server, that `url` names. */
export async function startLine(t: Owner, url: string): Promise<Line> {
  const target = new URL(url)
  const { hostname, port } = target
  const open = new Set<Socket>()
  let delay_ms = 0
  let bytes_per_s = Number.POSITIVE_INFINITY
  let refusal: Buffer | undefined

  function keep(socket: Socket): void {
    open.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  }

  function carry(from: Socket, to: Socket): void {
    let free_at = 0
    /**
     * The pieces on their way. Timers of different lengths may ring in another order than they were set, so each timer
     * passes on the first piece.
     */
    const under_way: Buffer[] = []
    from.on('data', (piece) => {
      const now = performance.now()
      if (delay_ms === 0 && free_at <= now && under_way.length === 0) return void to.write(piece)
      free_at = Math.max(free_at, now + delay_ms) + (piece.length / bytes_per_s) * 1000
      under_way.push(piece)
      setTimeout(() => {
        const first = under_way.shift()!
        if (!to.destroyed) to.write(first)
      }, free_at - now)
    })
    from.on('close', () => to.destroy())
  }

  const listener = createServer((client) => {
    keep(client)
    if (refusal) {
      const answer = refusal
      client.once('data', () => client.end(answer))
      return
    }
    const server = connect(Number(port), hostname)
    keep(server)
    carry(client, server)
    carry(server, client)
  })
  const listen = (at: number) => new Promise<void>((resolve) => listener.listen(at, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  await listen(0)
  const own = (listener.address() as { port: number }).port
  t.teardown(async () => {
    cut()
    if (listener.listening) await new Promise((resolve) => listener.close(resolve))
  })
  target.hostname = '127.0.0.1'
  target.port = String(own)
  return {
    url: target.href,
    slow(ms, per_s = Number.POSITIVE_INFINITY) {
      delay_ms = ms
      bytes_per_s = per_s
    },
    cut,
    async refuse() {
      const closed = new Promise((resolve) => listener.close(resolve))
      cut()
      await closed
    },
    turnAway(code, message) {
      refusal = errorResponse(code, message)
      cut()
    },
    async mend() {
      delay_ms = 0
      bytes_per_s = Number.POSITIVE_INFINITY
      refusal = undefined
      if (!listener.listening) await listen(own)
    },
  }
}

/** Returns the message that PostgreSQL sends before it closes a connection it does not take. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
