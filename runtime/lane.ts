/**
 * A commit lane. It collects the turns that are ready, of many actors and partitions, and commits them as one
 * PostgreSQL transaction, sent as one query.
 *
 * Invariants (docs/architecture.md):
 *  I1  A turn's state, sends, timers and the settling of what it received commit together or not at all.
 *  I2  Nothing leaves the node (reply, publish, slow work) before that commit.
 *  I3  Every commit checks the epoch of each partition in it; a stale owner cannot write.
 *  I4  A commit whose outcome is unknown is repeated, never guessed: the lane's own counter makes it idempotent.
 *  I5  When a commit fails, its parts are tried one by one; only the part at fault stays behind.
 *  I6  Messages of one lane to one partition are numbered without gaps, in the order of their commits.
 *
 * One writer: `#run` is the only one that commits, one transaction at a time.
 */
import { compileWrites, type Database, literal } from '../storage/mod.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Part, Sent } from './part.ts'

export interface LaneOwner {
  /** The epoch this node holds the partition with, or undefined when it lost it. */
  epoch(partition: number): number | undefined
  committed(parts: Part[], sent: Sent[], source: number): void
  /** A part that cannot be committed as it is, alone in its transaction. */
  faulted(part: Part, error: Error): void
  /** Some messages or timers of this part were settled before; it must be decided again without them. */
  repeated(part: Part, error: Error): void
  /** The part's partition has another owner now. */
  fenced(part: Part): void
}

const MAX_MESSAGES = 4096
const RETRY_MS = [20, 50, 100, 250, 500, 1000]

type Failure = 'unknown' | 'fenced' | 'retired' | 'repeated' | 'at-fault'

/** What a failed commit means. Connection loss and server trouble leave the outcome unknown: the commit is repeated. */
export function classify(error: unknown): Failure {
  const code = sqlState(error)
  if (code === 'PL001') return 'repeated'
  if (code === 'PL002') return 'fenced'
  if (code === 'PL003') return 'retired'
  if (code === undefined) return error instanceof TypeError || error instanceof SyntaxError ? 'at-fault' : 'unknown'
  // 08 connection, 40 rollback (deadlock, serialization), 53 resources, 55P03 lock timeout, 57 operator intervention, 58 system
  if (/^(08|40|53|57|58)/.test(code) || code === '55P03' || !/^[0-9A-Z]{5}$/.test(code)) return 'unknown'
  return 'at-fault'
}

function sqlState(error: unknown): string | undefined {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at) {
    if (typeof at.code === 'string') return at.code
  }
  return undefined
}

export class Lane {
  readonly source: number
  #commits = 0
  #next = new Map<number, number>()
  #pending: Part[] = []
  #running = false
  #stopped = false
  #idle: (() => void)[] = []
  readonly #database: Database
  readonly #owner: LaneOwner
  readonly #clock: Clock
  readonly #log: Log
  readonly stats = { commits: 0, parts: 0, messages: 0, retries: 0 }

  private constructor(source: number, database: Database, owner: LaneOwner, clock: Clock, log: Log) {
    this.source = source
    this.#database = database
    this.#owner = owner
    this.#clock = clock
    this.#log = log
  }

  /** Registers a fresh lane: a new source, numbering from 1. */
  static async open(database: Database, node: string, owner: LaneOwner, clock: Clock, log: Log): Promise<Lane> {
    const rows = await database.execute(`insert into lane (node) values (${literal(node)}) returning source::text`)
    return new Lane(Number(rows[0]!.source), database, owner, clock, log)
  }

  push(part: Part): void {
    this.#pending.push(part)
    if (!this.#running) void this.#run()
  }

  /** Resolves when everything pushed so far is committed or given up. */
  async flush(): Promise<void> {
    if (this.#running) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Stops retrying: a commit under way whose outcome is unknown is abandoned. */
  stop(): void {
    this.#stopped = true
  }

  async #run(): Promise<void> {
    this.#running = true
    try {
      while (this.#pending.length > 0) await this.#commit(this.#take())
    } catch (error) {
      this.#log.error({ error }, 'a commit lane failed')
    } finally {
      this.#running = false
      for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  #take(): Part[] {
    let messages = 0
    let count = 0
    while (count < this.#pending.length && messages < MAX_MESSAGES) {
      const part = this.#pending[count++]!
      messages += part.entries.length + part.sends.length
    }
    return count === this.#pending.length ? this.#pending.splice(0) : this.#pending.splice(0, count)
  }

  async #commit(batch: Part[]): Promise<void> {
    const parts: Part[] = []
    for (const part of batch) {
      if (part.cell && this.#owner.epoch(part.cell.partition) === undefined) this.#owner.fenced(part)
      else parts.push(part)
    }
    if (parts.length === 0) return
    const numbers = new Map(this.#next)
    let sent: Sent[]
    let error: unknown
    try {
      sent = this.#number(parts)
      const sql = this.#compile(parts, sent)
      error = await this.#execute(sql)
    } catch (thrown) {
      sent = []
      error = thrown
    }
    if (error === undefined) {
      this.#commits++
      this.stats.commits++
      this.stats.parts += parts.length
      this.#owner.committed(parts, sent, this.source)
      return
    }
    this.#next = numbers
    await this.#failed(parts, error)
  }

  async #failed(parts: Part[], error: unknown): Promise<void> {
    const failure = classify(error)
    if (failure === 'unknown' || failure === 'retired') {
      // Only reached when stopped, or when the lane's row is gone: nothing of this lane can commit any more.
      for (const part of parts) this.#owner.fenced(part)
      return
    }
    if (parts.length > 1) {
      for (const part of parts) await this.#commit([part])
      return
    }
    const part = parts[0]!
    if (failure === 'fenced') this.#owner.fenced(part)
    else if (failure === 'repeated') this.#owner.repeated(part, error as Error)
    else this.#owner.faulted(part, error as Error)
  }

  /** Returns undefined when committed, else why not. Repeats while the outcome is unknown (I4). */
  async #execute(sql: string): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#database.execute(sql)
        return undefined
      } catch (error) {
        const failure = classify(error)
        if (failure === 'retired' && attempt > 0 && (await this.#committed())) return undefined
        if (failure !== 'unknown' || this.#stopped) return error
        this.stats.retries++
        this.#log.warn({ error: (error as Error).message, attempt }, 'commit failed, its outcome is unknown: repeating')
        const wait = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!
        await new Promise<void>((resolve) => this.#clock.after(wait, resolve))
      }
    }
  }

  async #committed(): Promise<boolean> {
    const rows = await this.#database.execute(`select commits::text from lane where source = ${this.source}`)
    return rows.length > 0 && Number(rows[0]!.commits) === this.#commits + 1
  }

  #number(parts: Part[]): Sent[] {
    const sent: Sent[] = []
    for (const part of parts) {
      for (const send of part.sends) {
        const number = this.#next.get(send.partition) ?? 1
        this.#next.set(send.partition, number + 1)
        sent.push({ ...send, number })
      }
    }
    return sent
  }

  #compile(parts: Part[], sent: Sent[]): string {
    const epochs = new Map<number, number>()
    const settle = { partitions: [] as number[], sources: [] as number[], numbers: [] as number[] }
    const fired: { a: string; n: string; d: string }[] = []
    const timers = new Map<string, string>()
    const states = new Map<string, string>()
    const dead: string[] = []
    for (const part of parts) {
      const cell = part.cell
      if (cell) epochs.set(cell.partition, this.#owner.epoch(cell.partition)!)
      for (const entry of part.entries) {
        if (entry.origin === 'tell') {
          settle.partitions.push(cell!.partition)
          settle.sources.push(entry.source!)
          settle.numbers.push(entry.number!)
        } else if (entry.timer) {
          fired.push({ a: cell!.address, n: entry.timer.name, d: new Date(entry.timer.due).toISOString() })
        }
      }
      for (const change of part.timers) {
        const due = change.due === null ? 'null' : `"${new Date(change.due).toISOString()}"`
        timers.set(
          `${change.address} ${change.name}`,
          `{"p":${change.partition},"a":"${change.address}","n":${JSON.stringify(change.name)},"d":${due},"m":${change.json}}`,
        )
      }
      if (part.saved) states.set(cell!.address, `{"a":"${cell!.address}","s":${JSON.stringify(cell!.state)}}`)
      for (const letter of part.dead) {
        const sender = letter.sender === null ? 'null' : `"${letter.sender}"`
        dead.push(
          `{"p":${letter.partition},"a":"${letter.address}","f":${sender},"m":${letter.json},"e":${JSON.stringify(letter.error)}}`,
        )
      }
    }
    const partitions = [...epochs.keys()]
    const statements = [
      `select lane_fence(${this.source}, ${this.#commits + 1}, '{${partitions}}', '{${partitions.map((p) => epochs.get(p))}}')`,
    ]
    if (settle.numbers.length > 0) {
      statements.push(`select lane_settle('{${settle.partitions}}', '{${settle.sources}}', '{${settle.numbers}}')`)
    }
    if (fired.length > 0) {
      statements.push(
        `select lane_fired(array_agg(r.a), array_agg(r.n), array_agg(r.d)) from json_to_recordset(${literal(JSON.stringify(fired))}) as r(a text, n text, d timestamptz)`,
      )
    }
    if (timers.size > 0) statements.push(...timerStatements([...timers.values()]))
    if (states.size > 0) {
      statements.push(
        `insert into actor_state (address, state) select r.a, r.s from json_to_recordset(${literal(`[${[...states.values()].join()}]`)}) as r(a text, s jsonb) on conflict (address) do update set state = excluded.state`,
      )
    }
    if (sent.length > 0) {
      const rows = sent.map((send) => {
        const sender = send.sender === null ? 'null' : `"${send.sender}"`
        return `{"p":${send.partition},"n":${send.number},"a":"${send.address}","f":${sender},"m":${send.json}}`
      })
      statements.push(
        `insert into outbox (partition, source, number, address, sender, message) select r.p, ${this.source}, r.n, r.a, r.f, r.m from json_to_recordset(${literal(`[${rows.join()}]`)}) as r(p int, n bigint, a text, f text, m json)`,
      )
    }
    if (dead.length > 0) {
      statements.push(
        `insert into dead_letter (partition, address, sender, message, error) select r.p, r.a, r.f, r.m, r.e from json_to_recordset(${literal(`[${dead.join()}]`)}) as r(p int, a text, f text, m json, e text)`,
      )
    }
    statements.push(...compileWrites(this.#database.orm, everyWrite(parts)))
    return statements.join(';\n')
  }
}

function* everyWrite(parts: Part[]) {
  for (const part of parts) yield* part.writes
}

/** A change without a message cancels. */
function timerStatements(rows: string[]): string[] {
  const source = `json_to_recordset(${literal(`[${rows.join()}]`)}) as r(p int, a text, n text, d timestamptz, m json)`
  return [
    `delete from timer t using ${source} where r.m is null and t.address = r.a and t.name = r.n`,
    `insert into timer (partition, address, name, due_at, message) select r.p, r.a, r.n, r.d, r.m from ${source} where r.m is not null on conflict (address, name) do update set due_at = excluded.due_at, message = excluded.message`,
  ]
}
