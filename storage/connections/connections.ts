/**
 * All connections of a process to its PostgreSQL, in the pool and beside it. A network that swallows packets closes no
 * connection, and a statement on one waits for a quarter of an hour; so this class can break all of them.
 */
import { History, type HistoryChange } from './history.ts'
import { keyOf, parsePostgresUrl, ReadOnlyServer, type Server, Servers } from './servers.ts'
import { type DriverClass, type Session, sessionClass } from './session.ts'

export type PoolClient = Session & { release(error?: unknown): void }
type DriverPool = {
  Client: DriverClass
  options: object & { password?: unknown }
  totalCount: number
  idleCount: number
  waitingCount: number
  connect(): Promise<PoolClient>
}

/** Connections of the pool, and statements that wait for one. */
export type PoolUse = { used: number; idle: number; waiting: number }

const UNTOLD =
  'PostgreSQL does not tell its timeline, so the promotion of a standby without the last commits goes unnoticed: grant this role execute on pg_walfile_name and pg_current_wal_lsn'

export class Connections {
  /** The URL for a driver that supports one host only. */
  readonly url: string
  readonly servers: Servers
  readonly #history = new History()
  readonly #sessions = new Set<Session>()
  readonly #connect_ms: number
  readonly #log: (remark: string) => void
  #open: (() => Session) | undefined
  #borrow: (() => Promise<PoolClient>) | undefined
  #pool: DriverPool | undefined
  history_form = 0
  #is_untold = false

  /** `connect_ms`: maximum time of all attempts to open one connection. */
  constructor(url: string, connect_ms: number, log: (remark: string) => void = () => {}) {
    const { url: driver_url, hosts } = parsePostgresUrl(url)
    this.url = driver_url
    this.servers = new Servers(hosts)
    this.#connect_ms = connect_ms
    this.#log = log
  }

  /** Makes the driver's pool open sessions, on a server that takes writes. */
  readonly pool = (pool: DriverPool): void => {
    const SessionClass = sessionClass(pool.Client, this, this.#connect_ms)
    pool.Client = SessionClass
    const connect = pool.connect.bind(pool)
    pool.connect = async () => endsItsLoan(await this.servers.reach(connect))
    this.#pool = pool
    this.#borrow = () => pool.connect()
    this.#open = () => new SessionClass(pool.options)
  }

  get use(): PoolUse {
    const { totalCount: total = 0, idleCount: idle = 0, waitingCount: waiting = 0 } = this.#pool ?? {}
    return { used: total - idle, idle, waiting }
  }

  get history(): string | undefined {
    return this.#history.present
  }

  onHistoryChange(listener: (change: HistoryChange) => void): () => void {
    return this.#history.listen(listener)
  }

  /** Creates a session beside the pool; the caller connects it. */
  session(): Session {
    if (!this.#open) throw closed()
    return this.#open()
  }

  /** Lends a session of the pool for one piece of work. A failure ends the session. Rejects as the work does. */
  async lend<Result>(work: (session: PoolClient) => Promise<Result>): Promise<Result> {
    if (!this.#borrow) throw closed()
    const session = await this.#borrow()
    let failure: unknown
    try {
      return await work(session)
    } catch (error) {
      failure = error
      throw error
    } finally {
      session.release(failure)
    }
  }

  /** Opens a session beside the pool, on a server that takes writes. */
  async open(): Promise<Session> {
    return this.servers.reach(async () => {
      const session = this.session()
      await session.connect()
      return session
    })
  }

  /** Breaks all connections but one: waiting statements fail now, and nothing more of them is sent. */
  break(spared?: Session): void {
    for (const session of this.#sessions) if (session !== spared) session.reset()
  }

  close(): void {
    this.#open = undefined
    this.#borrow = undefined
  }

  opening(session: Session): void {
    this.#sessions.add(session)
  }

  closed(session: Session): void {
    this.#sessions.delete(session)
  }

  enter(session: Session, history: string | undefined): void {
    if (history === undefined) {
      if (!this.#is_untold) this.#log(UNTOLD)
      this.#is_untold = true
      return
    }
    if (this.#history.isPast(history)) {
      const reason = `it is a former primary, another server has continued its log (${history}, then ${this.history}); start Parley anew if this one is meant`
      throw new ReadOnlyServer(session.server!, reason)
    }
    for (const other of this.#sessions) if (other.history !== undefined && other.history !== history) other.reset()
    this.#history.enter(history)
  }

  unfit(server: Server): void {
    this.servers.failed(server)
    for (const session of this.#sessions) {
      if (session.server && keyOf(session.server) === keyOf(server)) session.reset()
    }
  }
}

function closed(): Error {
  return new Error('Connection terminated: the database was closed')
}

/**
 * A client of the pool that returns its place when its connection ends. The query builder never returns a client whose
 * transaction could not begin or end.
 */
function endsItsLoan(client: PoolClient): PoolClient {
  const { release } = client
  let is_out = true
  client.release = (error) => {
    if (!is_out) return
    is_out = false
    client.removeListener('end', ended)
    release(error)
  }
  const ended = () => client.release()
  client.on('end', ended)
  if (client.is_lost) ended()
  return client
}
