/**
 * One connection to PostgreSQL: the driver's client, sent to the next server and checked before its first use.
 *
 *  S1 An opened session takes writes, and its history is the present one (`history.ts`).
 *  S2 A server that reports that it takes no writes, or that it is shutting down, loses all its sessions at once.
 */
import { isIP, Socket } from 'node:net'
import { ReadOnlyServer, type Server, type Servers } from './servers.ts'

export type Result = { rows: Record<string, unknown>[] }
type ServerMessage = { severity?: string; code?: string }

/** The small part of `pg` that is used here; the driver belongs to MikroORM. */
export type DriverClient = {
  host: string
  port: number
  connection: {
    ssl: boolean | object
    on(event: 'errorMessage', listener: (message: ServerMessage) => void): unknown
  }
  connect(callback?: (error?: unknown) => void): Promise<unknown> | undefined
  /** Several results when the text has several statements. */
  query(sql: string): Promise<Result | Result[]>
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): unknown
  removeListener(event: 'error' | 'end', listener: () => void): unknown
}

export type DriverClass = new (options: object) => DriverClient

export type Session = DriverClient & {
  /** Its server, once it is being opened, and the server's history, once it is open. */
  readonly server: Server | undefined
  readonly history: string | undefined
  /** True when it can send nothing any more. */
  readonly is_lost: boolean
  /** Breaks the connection: waiting statements fail, and nothing more of them is sent. */
  reset(): void
}

/** The owner of a session, which it asks and reports to. */
export type SessionOwner = {
  servers: Servers
  opening(session: Session): void
  closed(session: Session): void
  /**
   * Accepts the session, or refuses it by throwing. Called synchronously before the session can be used (S1). `history`
   * is undefined where the server does not report it.
   */
  enter(session: Session, history: string | undefined): void
  /** The session's server reported that it takes no writes or no more connections (S2). */
  unfit(server: Server): void
  /** Index of the query for the history: the first of `HISTORIES` that the servers answer. */
  history_form: number
}

/**
 * For a client that vanished: its locks are released after 5 s, and its session ends after half a minute instead of the
 * two hours of most systems. A statement waits 5 s for a lock. Literals (`literal` in `sql/sql.ts`) need backslashes that
 * mean nothing, whatever the server's default is. These are statements rather than parameters of the connection, which
 * poolers refuse.
 */
const SETTINGS = `set standard_conforming_strings = on; set idle_in_transaction_session_timeout = '5s';
  set lock_timeout = '5s'; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4`
const STATE = `pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`
/** The first eight digits of a log file's name are the timeline. A standby has no current log file. */
const TIMELINE = `case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end`
const HISTORIES = [
  `(select system_identifier from pg_control_system()) || '/' || ${TIMELINE}`,
  `'/' || ${TIMELINE}`,
  'null',
]
/** Errors of functions that are missing (42883), forbidden (42501) or not supported (0A000). */
export const DOES_NOT_TELL = new Set(['42883', '42501', '0A000'])

/** 25006: a write on a read-only server. 57P02, 57P03: a server that crashed, or starts or shuts down. */
const UNFIT = new Set(['25006', '57P02', '57P03'])

/** Minimum milliseconds for one server where several may be tried. */
const MIN_TRY_MS = 1000

type State = { is_standby: boolean; is_read_only: boolean; history: string | null }

/** Extends the driver's client class to open sessions. `connect_ms`: maximum time of all attempts to open one. */
export function sessionClass(Driver: DriverClass, owner: SessionOwner, connect_ms: number): new (o: object) => Session {
  return class extends Driver {
    readonly #socket: Socket
    server: Server | undefined
    history: string | undefined
    is_lost = false

    constructor(options: object & { password?: unknown }) {
      const socket = new Socket()
      // The driver's time-out does not cover the messages after its own first ones, so it is off, and we have one for
      // all. The password is not enumerable there.
      super({ ...options, password: options.password, stream: () => socket, connectionTimeoutMillis: 0 })
      this.#socket = socket
      const lost = () => {
        this.is_lost = true
      }
      this.on('error', lost)
      this.on('end', lost)
      // Runs before the driver's own listener: when a statement fails, its session is already known to be lost.
      this.connection.on('errorMessage', ({ severity, code = '' }) => {
        if (severity === 'FATAL' || severity === 'PANIC') lost()
        if (this.server && UNFIT.has(code)) owner.unfit(this.server)
      })
    }

    /** The pool passes a callback, we use the promise. */
    override connect(callback?: (error?: unknown) => void): Promise<unknown> | undefined {
      const opened = this.#open()
      if (!callback) return opened
      opened.then(() => callback(), callback)
      return undefined
    }

    reset(): void {
      this.is_lost = true
      // Skips the orderly end, which would still deliver the kernel's buffer, minutes later. A socket that is ending
      // refuses to be reset and would stay open: its server has closed the connection, or the pool has.
      if (this.#socket.remoteFamily !== undefined && !this.#socket.writableEnded) this.#socket.resetAndDestroy()
      // An orderly end would wait for pending writes.
      this.#socket.destroy()
    }

    async #open(): Promise<void> {
      owner.opening(this)
      // The driver does not notify callers that wait for a connection when it ends after `end()`, or before its socket
      // connects.
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
        const ms = of === 1 ? connect_ms : Math.max(MIN_TRY_MS, connect_ms / of)
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
      if (connection.ssl) {
        // The driver names no host for an address, and the certificate would be compared with "localhost".
        const identity = isIP(name) === 0 ? { servername: name } : { host: name }
        connection.ssl = { ...(connection.ssl === true ? {} : (connection.ssl as object)), ...identity }
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
