/**
 * The connections of one node to the modelled PostgreSQL, of the product's kinds: the pool, the connection that
 * commits, and the connection for statements that need an answer soon. Requests and answers travel, get lost, or are
 * held up by a network that swallows packets.
 */
import { HistoryChanged } from '../../storage/mod.ts'
import type { Host } from './host.ts'
import { type Server, ServerError, type Transaction } from './server.ts'

export type Kind = 'pool' | 'commit' | 'ask'
type Call = { kind: Kind; what: string | undefined; connection: object; end(result: unknown, error?: Error): void }

type CallOptions = {
  ms?: number
  lock_ms?: number | undefined
  history?: string | undefined
  /** The name in the trace. */
  what?: string | undefined
}

/** Milliseconds that a statement waits for locked rows, as in `storage/`. */
const LOCK_MS: Record<Kind, number> = { pool: 5000, commit: 1000, ask: 0 }
const CONNECT_MS = 5000
/** The server gives a statement up this many milliseconds after its client. */
const LATER_MS = 100

type Connection = { readonly generation: number; is_demoted: boolean }

export class Line {
  readonly host: Host
  readonly server: Server
  /** The most milliseconds each way. */
  latency_ms = 1
  /** The true time until which nothing gets through. */
  silent_up = 0
  silent_down = 0
  /** The probability that the connection breaks before a request arrives, or before its answer does. */
  lost_before = 0
  lost_after = 0
  /** The stand-still of the host after its next request of this kind. */
  pause: { kind: Kind; ms: number } | undefined
  /** The connection in use for each kind, with the server's generation. */
  readonly #connections = new Map<Kind, Connection>()
  readonly #calls = new Set<Call>()
  readonly #listeners = new Set<() => void>()
  #history: string | undefined

  constructor(host: Host, server: Server) {
    this.host = host
    this.server = server
    server.lost.add(() => this.#lost())
  }

  get history(): string | undefined {
    return this.#history
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Carries a transaction out at the server. Fails without an answer within `ms`. `history` is the one that the
   * transaction is meant for.
   */
  call<Result>(
    kind: Kind,
    writes: boolean,
    body: (transaction: Transaction) => void,
    { ms, lock_ms, history, what }: CallOptions = {},
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      let cancel = () => {}
      const call: Call = {
        kind,
        what,
        connection: {},
        end: (result, error) => {
          if (!this.#calls.delete(call)) return
          cancel()
          if (kind === 'commit' && !error) this.host.onCommitted()
          // A fence is no refusal: the node learns of a fence at once, and passes its knowledge on.
          if (kind === 'commit' && error instanceof ServerError && !error.code.startsWith('PL'))
            this.host.refused_at = this.host.time
          if (error) reject(error)
          else resolve(result as Result)
        },
      }
      this.#calls.add(call)
      if (ms !== undefined) cancel = this.#patience(call, ms)
      this.#connect(call, () => {
        if (history !== undefined && history !== this.#history) call.end(undefined, new HistoryChanged())
        else this.#request(call, writes, lock_ms ?? LOCK_MS[kind], ms, body)
      })
    })
  }

  /** Makes the server of the open connections refuse writes from now on. New connections lead to another server. */
  demote(): void {
    for (const connection of this.#connections.values()) connection.is_demoted = true
  }

  /** Breaks all connections except the one for short questions. */
  break(): void {
    for (const call of this.#calls) if (call.kind !== 'ask') call.end(undefined, terminated())
    this.#connections.delete('pool')
    this.#connections.delete('commit')
  }

  #patience(call: Call, ms: number): () => void {
    const { clock } = this.host
    return clock.after(ms, () =>
      // An answer that came while this host was busy elsewhere has come in time.
      clock.soon(() =>
        clock.soon(() => {
          this.#connections.delete(call.kind)
          call.end(undefined, new Error(`Connection terminated: PostgreSQL did not answer within ${ms} ms`))
        }),
      ),
    )
  }

  #up(run: () => void): void {
    const { world } = this.host
    const at = this.host.time + world.between(0.1, this.latency_ms)
    world.at(Math.max(at, this.silent_up > at ? this.silent_up + world.between(0, 200) : 0), run)
  }

  #down(run: () => void): void {
    const { world } = this.host
    const at = world.time + world.between(0.1, this.latency_ms)
    this.host.at(Math.max(at, this.silent_down > at ? this.silent_down + world.between(0, 200) : 0), run)
  }

  #connect(call: Call, then: () => void): void {
    const open = this.#connections.get(call.kind)
    if (open) {
      call.connection = open
      then()
      return
    }
    const cancel = this.host.clock.after(CONNECT_MS, () =>
      call.end(undefined, new Error('Connection terminated due to connection timeout')),
    )
    const { server } = this
    this.#up(() => {
      const { is_up, is_read_only, generation, history } = server
      this.#down(() => {
        cancel()
        if (!this.#calls.has(call)) return
        if (!is_up) call.end(undefined, reset('connect ECONNREFUSED 10.0.0.1:5432'))
        else if (is_read_only) call.end(undefined, new ServerError('25006', 'it takes no writes: it is a standby'))
        else {
          call.connection = this.#enter(call.kind, generation, history)
          then()
        }
      })
    })
  }

  /** Opens a connection. A connection of another history ends the others, and is announced before its first use. */
  #enter(kind: Kind, generation: number, history: string | undefined): object {
    if (history !== undefined && this.#history !== undefined && history !== this.#history) {
      this.#connections.clear()
      for (const call of this.#calls) if (this.#isSent(call)) call.end(undefined, terminated())
      for (const listener of [...this.#listeners]) listener()
    }
    this.#history = history ?? this.#history
    const connection: Connection = { generation, is_demoted: false }
    this.#connections.set(kind, connection)
    return connection
  }

  #isSent({ connection }: Call): boolean {
    return 'generation' in connection
  }

  #request(
    call: Call,
    writes: boolean,
    lock_ms: number,
    ms: number | undefined,
    body: (transaction: Transaction) => void,
  ): void {
    const { server } = this
    const { world } = this.host
    const is_held = this.silent_up > this.host.time
    if (this.pause?.kind === call.kind) {
      this.host.pause(this.pause.ms)
      this.pause = undefined
    }
    this.#up(() => {
      // Requests that the kernel still held when the connection broke are never sent. Requests on their way arrive.
      if (is_held && !this.#calls.has(call)) return
      const { generation, is_demoted } = call.connection as Connection
      if (!server.is_up || generation !== server.generation || world.happens(this.lost_before)) {
        this.#breakAt(call)
        return
      }
      if ((server.is_read_only || is_demoted) && writes) {
        this.#unfit(call)
        return
      }
      const transaction = server.begin(writes, lock_ms, (result, error) => {
        if (world.is_traced && call.what) {
          world.say(
            'pg',
            `${this.host.name} ${call.what}: ${error ? error.message : result instanceof Map ? JSON.stringify([...result]) : 'done'}`,
          )
        }
        if (world.happens(this.lost_after)) this.#breakAt(call)
        else this.#down(() => call.end(result, error))
      })
      if (ms !== undefined) world.at(world.time + ms + LATER_MS, () => transaction.fail('57014'))
      body(transaction)
    })
  }

  /** Drops all connections to a server that refuses to write (`storage/connections/session.ts`). */
  #unfit(call: Call): void {
    this.#down(() => {
      call.end(undefined, new ServerError('25006', 'cannot execute UPDATE in a read-only transaction'))
      this.#connections.clear()
      for (const other of this.#calls) if (this.#isSent(other)) other.end(undefined, terminated())
    })
  }

  #breakAt(call: Call): void {
    this.#down(() => {
      if (this.#connections.get(call.kind) === call.connection) this.#connections.delete(call.kind)
      call.end(undefined, reset('read ECONNRESET'))
    })
  }

  /** Ends the connections to a server process that has gone. */
  #lost(): void {
    for (const call of this.#calls) if (this.#isSent(call)) this.#breakAt(call)
    const lost = [...this.#connections]
    this.#down(() => {
      for (const [kind, connection] of lost) {
        if (this.#connections.get(kind) === connection) this.#connections.delete(kind)
      }
    })
  }
}

/** Returns the error as the driver raises it. */
function terminated(): Error {
  return new Error('Connection terminated unexpectedly')
}

function reset(message: string): Error {
  return Object.assign(new Error(message), { code: message.split(' ')[1], syscall: message.split(' ')[0] })
}
