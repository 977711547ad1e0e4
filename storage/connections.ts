/**
 * The sockets under a pool, and a sign of life from the server.
 *
 * A network that swallows packets closes nothing: a statement on such a connection waits for a quarter of an hour. So
 * somebody has to ask whether the server still answers, and to break what waits when it does not.
 */
import { Socket } from 'node:net'

/** The little of `pg` that is needed here; the driver belongs to MikroORM. */
export type Client = {
  connect(): Promise<void>
  query(sql: string): Promise<unknown>
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): unknown
}
type DriverPool = { Client: new (options: object) => Client; options: object & { password?: unknown } }

/**
 * For a client that is gone without a word: its locks are given back after 5 s, its session ends after half a minute
 * instead of the two hours of most systems. Statements rather than parameters of the connection, which poolers refuse.
 */
const GREETING = `set idle_in_transaction_session_timeout = '5s'; set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4`

export class Connections {
  readonly #sockets = new Set<Socket>()
  #pool: DriverPool | undefined
  #asking: { client: Client; socket: Socket; ready: Promise<void> } | undefined

  /** For the driver: the socket of a new connection. */
  readonly stream = (): Socket => {
    const socket = new Socket()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }

  /** For the driver: the first words on a new connection. */
  readonly greet = async (client: Client): Promise<void> => {
    await client.query(GREETING)
  }

  /** For the driver: how it makes connections. */
  readonly pool = (pool: DriverPool): void => {
    this.#pool = pool
  }

  /** A connection beside the pool, broken with it. To be connected and greeted. */
  client(): Client {
    if (!this.#pool) throw new Error('Connection terminated: the database was closed')
    return this.#make(this.#pool, this.stream)
  }

  /** Whether the server answers a query within `ms`, asked over a connection of its own. Never rejects. */
  async answer(ms: number): Promise<boolean> {
    if (!this.#pool) return false
    const asking = this.#asking ?? this.#open(this.#pool)
    this.#asking = asking
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      // One turn of the loop more: what came while this process was busy elsewhere has come in time.
      timer = setTimeout(() => setImmediate(() => setImmediate(resolve, false)), ms)
    })
    const answered = asking.ready
      .then(() => asking.client.query('select 1'))
      .then(
        () => true,
        () => false,
      )
    const in_time = await Promise.race([answered, late])
    clearTimeout(timer)
    if (!in_time && this.#asking === asking) this.#hangUp()
    return in_time
  }

  /** Breaks every connection of the pool: whatever waits on one fails now, and nothing of it is sent any more. */
  break(): void {
    for (const socket of this.#sockets) reset(socket)
  }

  close(): void {
    this.#pool = undefined
    this.#hangUp()
  }

  #open(pool: DriverPool) {
    const socket = new Socket()
    const client = this.#make(pool, () => socket)
    client.on('error', () => {})
    return { client, socket, ready: client.connect().then(() => this.greet(client)) }
  }

  #make({ Client, options }: DriverPool, stream: () => Socket): Client {
    // The password is not enumerable there.
    return new Client({ ...options, password: options.password, stream })
  }

  #hangUp(): void {
    const asking = this.#asking
    this.#asking = undefined
    if (!asking) return
    asking.client.end().catch(() => {})
    reset(asking.socket)
  }
}

/** Without the orderly end, which would still deliver what the kernel holds, minutes later. */
function reset(socket: Socket): void {
  if (socket.remoteFamily !== undefined) socket.resetAndDestroy()
  // By itself it would wait for what is still to be written.
  socket.destroy()
}
