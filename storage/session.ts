/**
 * One connection to PostgreSQL: the driver's client, sent to the server that has its turn and checked before its first use.
 *
 *  S1 A session that was opened takes writes, and its history is the present one (`history.ts`).
 *  S2 A server that says that it takes no writes, or that it ends, loses all its sessions at once.
 */
import { Socket } from 'node:net'
import { ReadOnlyServer, type Server, type Servers } from './servers.ts'

type Result = { rows: Record<string, unknown>[] }
type ServerMessage = { severity?: string; code?: string }

/** The little of `pg` that is needed here; the driver belongs to MikroORM. */
export type DriverClient = {
  host: string
  port: number
  connection: {
    ssl: boolean | object
    on(event: 'errorMessage', listener: (message: ServerMessage) => void): unknown
  }
  connect(callback?: (error?: unknown) => void): Promise<unknown> | undefined
  /** Several results where the text is several statements. */
  query(sql: string): Promise<Result | Result[]>
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): unknown
  removeListener(event: 'error' | 'end', listener: () => void): unknown
}

export type DriverClass = new (options: object) => DriverClient

export type Session = DriverClient & {
  /** Where it leads, once it is being opened, and what that server continues, once it is open. */
  readonly server: Server | undefined
  readonly history: string | undefined
  /** Nothing can be sent over it any more. */
  readonly is_lost: boolean
  /** Breaks it: what waits for an answer fails, and nothing of it is sent any more. */
  reset(): void
}

/** What a session reports to, and asks. */
export type SessionOwner = {
  servers: Servers
  opening(session: Session): void
  closed(session: Session): void
  /**
   * Takes the session in, or refuses it by throwing. Called synchronously before the session can be used (S1).
   * `history` is undefined where the server does not tell.
   */
  enter(session: Session, history: string | undefined): void
  /** The session's server says that it takes no writes or no more connections (S2). */
  unfit(server: Server): void
  /** How servers are asked for their history: the first of `HISTORIES` that they answer. */
  history_form: number
}

/**
 * For a client that is gone without a word: its locks are given back after 5 s, its session ends after half a minute
 * instead of the two hours of most systems. A statement waits 5 s for a lock that others have. Statements rather than
 * parameters of the connection, which poolers refuse.
 */
const SETTINGS = `set idle_in_transaction_session_timeout = '5s'; set lock_timeout = '5s'; set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4`
const STATE = `pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`
/** The first eight digits of a log file's name are the timeline. A standby has no file that it writes. */
const TIMELINE = `case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end`
const HISTORIES = [
  `(select system_identifier from pg_control_system()) || '/' || ${TIMELINE}`,
  `'/' || ${TIMELINE}`,
  'null',
]
/** Functions that are missing (42883) or forbidden (42501), or say that they are not supported (0A000). */
const DOES_NOT_TELL = new Set(['42883', '42501', '0A000'])

/** 25006: a statement that writes, on a server that takes no writes. 57P02, 57P03: a server that crashed, or starts or ends. */
const UNFIT = new Set(['25006', '57P02', '57P03'])

/** Milliseconds for one server where several may be tried. */
const LEAST_TRY_MS = 1000

type State = { is_standby: boolean; is_read_only: boolean; history: string | null }

/** The driver's client class, made to open sessions. `connect_ms`: how long all tries to open one may take. */
export function sessionClass(Driver: DriverClass, owner: SessionOwner, connect_ms: number): new (o: object) => Session {
  return class extends Driver {
    readonly #socket: Socket
    server: Server | undefined
    history: string | undefined
    is_lost = false

    constructor(options: object & { password?: unknown }) {
      const socket = new Socket()
      // The driver knows no time-out for what comes after its own first words, so it gets none, and we have one for all. The
      // password is not enumerable there.
      super({ ...options, password: options.password, stream: () => socket, connectionTimeoutMillis: 0 })
      this.#socket = socket
      const lost = () => {
        this.is_lost = true
      }
      this.on('error', lost)
      this.on('end', lost)
      // Before the driver's own listener: by the time that a statement fails, its session is known to be lost.
      this.connection.on('errorMessage', ({ severity, code = '' }) => {
        if (severity === 'FATAL' || severity === 'PANIC') lost()
        if (this.server && UNFIT.has(code)) owner.unfit(this.server)
      })
    }

    /** For the pool with a callback, for us with a promise. */
    override connect(callback?: (error?: unknown) => void): Promise<unknown> | undefined {
      const opened = this.#open()
      if (!callback) return opened
      opened.then(() => callback(), callback)
      return undefined
    }

    reset(): void {
      this.is_lost = true
      // Without the orderly end, which would still deliver what the kernel holds, minutes later.
      if (this.#socket.remoteFamily !== undefined) this.#socket.resetAndDestroy()
      // By itself it would wait for what is still to be written.
      this.#socket.destroy()
    }

    async #open(): Promise<void> {
      owner.opening(this)
      // The driver tells nobody that waits for a connection when it ends after `end()`, or before its socket connects.
      const closed = new Promise<never>((_, reject) => {
        this.#socket.once('close', () => {
          owner.closed(this)
          reject(new Error('Connection terminated'))
        })
      })
      closed.catch(() => {})
      const { servers } = owner
      let chosen: { server: Server; of: number } | undefined
      try {
        chosen = await within(connect_ms, Promise.race([servers.choose(), closed]))
        const { server, of } = chosen
        this.server = server
        const ms = of === 1 ? connect_ms : Math.max(LEAST_TRY_MS, connect_ms / of)
        await within(ms, Promise.race([this.#reach(server), closed]))
        servers.succeeded(server)
      } catch (error) {
        this.reset()
        if (chosen) {
          servers.failed(chosen.server)
          servers.blame(chosen.server, chosen.of, error as Error)
        }
        throw error
      }
    }

    async #reach(server: Server): Promise<void> {
      if (this.is_lost) throw new Error('Connection terminated')
      const { name, address, port } = server
      this.host = address
      this.port = port
      const { connection } = this
      if (connection.ssl && name !== address) {
        connection.ssl = { ...(connection.ssl === true ? {} : (connection.ssl as object)), servername: name }
      }
      await super.connect()
      const { is_standby, is_read_only, history } = await this.#greet()
      if (is_standby) throw new ReadOnlyServer(server, 'it is a standby')
      if (is_read_only) throw new ReadOnlyServer(server, 'its transactions are read-only')
      if (this.is_lost) throw new Error('Connection terminated')
      owner.enter(this, history ?? undefined)
      this.history = history ?? undefined
    }

    async #greet(): Promise<State> {
      for (;;) {
        const form = owner.history_form
        try {
          const results = (await this.query(`${SETTINGS}; select ${STATE}, ${HISTORIES[form]} as history`)) as Result[]
          return results.at(-1)!.rows[0] as State
        } catch (error) {
          const code = String((error as { code?: unknown }).code)
          if (!DOES_NOT_TELL.has(code) || form === HISTORIES.length - 1) throw error
          // Another session may have learnt it meanwhile.
          if (form === owner.history_form) owner.history_form++
        }
      }
    }
  }
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Connection terminated due to connection timeout')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
