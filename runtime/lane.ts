/**
 * A commit lane. It collects the turns that are ready, of many actors and partitions, and commits them as one
 * PostgreSQL transaction, sent as one query.
 *
 * Invariants (docs/architecture.md):
 *  I1  A turn's state, sends, timers and the settling of what it received commit together or not at all.
 *  I2  Nothing leaves the node (reply, publish, slow work) before that commit.
 *  I3  Every commit checks the epoch of each partition in it; a stale owner cannot write.
 *  I4  A commit whose outcome is unknown is repeated, never guessed: the lane's own counter makes it idempotent. Once in
 *      doubt, no other outcome is believed before the counter has settled whether the first attempt happened.
 *  I5  When a commit fails, its parts are tried one by one; only the part at fault stays behind.
 *  I6  Messages of one lane to one partition are numbered without gaps, in the order of their commits. A lane that serves
 *      newly taken partitions goes on under a new source, higher than any the former owner used, and receivers take the
 *      sources in order: so the order per sender and receiver outlives a change of owner.
 *
 * One writer: `#run` is the only one that commits, one transaction at a time.
 */
import { compileWrites, type Database, literal, type Param, type Statement, sql } from '../storage/mod.ts'
import type { Clock } from './clock.ts'
import { classify, type Meaning } from './failure.ts'
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
  /** Nobody can tell any more whether this part was committed: its callers must not repeat it unasked. */
  doubtful(part: Part): void
}

const MAX_MESSAGES = 4096
const MAX_CHARACTERS = 8 * 1024 * 1024
const MIN_CHARACTERS = 128 * 1024
/** A commit that takes longer is too large for the line to the database. */
const LONG_COMMIT_MS = 1000
const RETRY_MS = [20, 50, 100, 250, 500, 1000]

type Failure = { meaning: Meaning | 'again'; error: Error }

export class Lane {
  /** Its row in the `lane` table, under which its messages are numbered; 0 before the first commit. */
  source = 0
  #commits = 0
  #next = new Map<number, number>()
  #renewing = true
  #pending: Part[] = []
  /** Most of what is sent, in characters, in one commit: less where the line to the database is thin. */
  #most = MAX_CHARACTERS
  #running = false
  #stopped = false
  #idle: (() => void)[] = []
  readonly #node: string
  readonly #database: Database
  readonly #owner: LaneOwner
  readonly #clock: Clock
  readonly #log: Log
  readonly stats = { commits: 0, parts: 0, messages: 0, retries: 0 }

  constructor(database: Database, node: string, owner: LaneOwner, clock: Clock, log: Log) {
    this.#database = database
    this.#node = node
    this.#owner = owner
    this.#clock = clock
    this.#log = log
  }

  push(part: Part): void {
    this.#pending.push(part)
    if (!this.#running) void this.#run()
  }

  /** The next commit and those after it go under a new source (I6). To be called after taking partitions. */
  renew(): void {
    this.#renewing = true
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
    while (this.#pending.length > 0) {
      try {
        await this.#commit(this.#take())
      } catch (error) {
        this.#log.error({ error }, 'a commit lane failed')
      }
    }
    this.#running = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #take(): Part[] {
    let messages = 0
    let characters = 0
    let count = 0
    while (count < this.#pending.length && messages < MAX_MESSAGES && characters < this.#most) {
      const part = this.#pending[count++]!
      messages += part.entries.length + part.sends.length
      for (const send of part.sends) characters += send.json.length
    }
    return count === this.#pending.length ? this.#pending.splice(0) : this.#pending.splice(0, count)
  }

  async #commit(batch: Part[]): Promise<void> {
    const parts: Part[] = []
    for (const part of batch) {
      const { cell } = part
      if (cell && (cell.epoch === undefined || this.#owner.epoch(cell.partition) !== cell.epoch)) {
        this.#owner.fenced(part)
      } else parts.push(part)
    }
    if (parts.length === 0) return
    if (this.#renewing && !(await this.#renew())) {
      for (const part of parts) this.#owner.doubtful(part)
      return
    }
    const numbers = new Map(this.#next)
    let sent: Sent[] = []
    let failure: Failure | undefined
    try {
      sent = this.#number(parts)
      const statements = this.#compile(parts, sent)
      const from = performance.now()
      failure = await this.#execute(statements)
      this.#learn(charactersOf(statements), performance.now() - from)
    } catch (error) {
      failure = { meaning: 'at-fault', error: error as Error }
    }
    if (failure) {
      this.#next = numbers
      await this.#failed(parts, failure)
      return
    }
    this.#commits++
    this.stats.commits++
    this.stats.parts += parts.length
    this.stats.messages += sent.length
    this.#owner.committed(parts, sent, this.source)
  }

  #learn(characters: number, ms: number): void {
    if (ms > LONG_COMMIT_MS) this.#most = Math.max(MIN_CHARACTERS, Math.min(this.#most, characters) / 2)
    else if (this.#most < MAX_CHARACTERS) this.#most = Math.min(MAX_CHARACTERS, this.#most * 2)
  }

  async #failed(parts: Part[], { meaning, error }: Failure): Promise<void> {
    if (meaning === 'unknown') {
      this.#renewing = true
      for (const part of parts) this.#owner.doubtful(part)
      return
    }
    if (meaning === 'again' || meaning === 'retired') {
      // Nothing happened: the lane goes on, under a new source when its row is gone.
      if (meaning === 'retired') this.#renewing = true
      await this.#commit(parts)
      return
    }
    if (parts.length > 1) {
      for (const part of parts) await this.#commit([part])
      return
    }
    const part = parts[0]!
    if (meaning === 'fenced') this.#owner.fenced(part)
    else if (meaning === 'repeated') this.#owner.repeated(part, error)
    else this.#owner.faulted(part, error)
  }

  /** Registers a new source, numbering from 1. False when stopped before it could. */
  async #renew(): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      // Before the insert: a source that is wanted from now on has to come after what is taken meanwhile.
      this.#renewing = false
      try {
        const rows = await this.#database.execute(
          `insert into lane (node) values (${literal(this.#node)}) returning source::text`,
        )
        this.source = Number(rows[0]!.source)
        this.#commits = 0
        this.#next = new Map()
        if (!this.#renewing) return true
      } catch (error) {
        this.#renewing = true
        if (this.#stopped) return false
        await this.#pause(error as Error, attempt)
      }
    }
  }

  /** Returns undefined when committed, else why not. Repeats while the outcome is unknown (I4). */
  async #execute(statements: readonly Statement[]): Promise<Failure | undefined> {
    let doubt = false
    for (let attempt = 0; ; attempt++) {
      let error: Error
      let meaning: Meaning
      try {
        await this.#database.commit(statements)
        return undefined
      } catch (thrown) {
        error = thrown as Error
        meaning = classify(thrown)
      }
      if (meaning !== 'unknown') {
        if (!doubt) return { meaning, error }
        try {
          const outcome = await this.#resolve()
          if (outcome === 'committed') return undefined
          if (outcome === 'refused') return { meaning: meaning === 'retired' ? 'again' : meaning, error }
          return { meaning: 'unknown', error }
        } catch (thrown) {
          error = thrown as Error
        }
      }
      doubt = true
      if (this.#stopped) return { meaning: 'unknown', error }
      await this.#pause(error, attempt)
    }
  }

  /**
   * Ends a doubt. A commit takes the counter from n to n + 1; this takes it from n to n + 2, so that a commit in doubt
   * that is still on its way somewhere can no longer happen, and what the counter says is final.
   */
  async #resolve(): Promise<'committed' | 'refused' | 'gone'> {
    const row = `source = ${this.source}`
    await this.#database.execute(
      `update lane set commits = ${this.#commits + 2} where ${row} and commits = ${this.#commits}`,
    )
    const rows = await this.#database.execute(`select commits::text from lane where ${row}`)
    if (rows.length === 0) return 'gone'
    const commits = Number(rows[0]!.commits)
    if (commits === this.#commits + 1) return 'committed'
    this.#commits = commits
    return 'refused'
  }

  async #pause(error: Error, attempt: number): Promise<void> {
    this.stats.retries++
    this.#log.warn({ error: error.message, attempt }, 'commit failed, its outcome is unknown: repeating')
    const wait = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!
    await new Promise<void>((resolve) => this.#clock.after(wait, resolve))
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

  #compile(parts: Part[], sent: Sent[]): Statement[] {
    const epochs = new Map<number, number>()
    const settle = { partitions: [] as number[], sources: [] as number[], numbers: [] as number[] }
    const fired: { a: string; n: string; d: string }[] = []
    const timers = new Map<string, string>()
    const states = new Map<string, string>()
    const dead: string[] = []
    for (const part of parts) {
      const cell = part.cell
      if (cell) epochs.set(cell.partition, cell.epoch!)
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
      for (const { partition, address, sender, json, error } of part.dead) {
        // Literals of their own, not a record set: a letter may hold what PostgreSQL takes as json but not as text (a
        // \u0000), and parking must not fail.
        dead.push(
          `(${partition}, ${literal(address)}, ${sender === null ? 'null' : literal(sender)}, ${literal(json)}, ${literal(error)})`,
        )
      }
    }
    const partitions = [...epochs.keys()]
    const held = partitions.map((partition) => epochs.get(partition)!)
    // In plain words: a commit is recognised by them in PostgreSQL's log and on the wire.
    const fence = `select lane_fence(${this.source}, ${this.#commits + 1}, '{${partitions}}', '{${held}}')`
    const statements: Statement[] = [{ text: fence, params: [] }]
    if (settle.numbers.length > 0) {
      const { partitions, sources, numbers } = settle
      statements.push(
        sql`select lane_settle(${list('int', partitions)}, ${list('bigint', sources)}, ${list('bigint', numbers)})`,
      )
    }
    if (fired.length > 0) {
      const rows = json(JSON.stringify(fired))
      statements.push(
        sql`select lane_fired(array_agg(r.a), array_agg(r.n), array_agg(r.d)) from json_to_recordset(${rows}) as r(a text, n text, d timestamptz)`,
      )
    }
    if (timers.size > 0) statements.push(...timerStatements([...timers.values()]))
    if (states.size > 0) statements.push(sql`select lane_save(${json(`[${[...states.values()].join()}]`)})`)
    if (sent.length > 0) {
      const rows = sent.map((send) => {
        const sender = send.sender === null ? 'null' : `"${send.sender}"`
        return `{"p":${send.partition},"n":${send.number},"a":"${send.address}","f":${sender},"m":${send.json}}`
      })
      statements.push(sql`select lane_send(${bigint(this.source)}, ${json(`[${rows.join()}]`)})`)
    }
    if (dead.length > 0) {
      const text = `insert into dead_letter (partition, address, sender, message, error) values ${dead.join()}`
      statements.push({ text, params: [] })
    }
    statements.push(...compileWrites(this.#database.orm, everyWrite(parts)))
    return statements
  }
}

function* everyWrite(parts: Part[]) {
  for (const part of parts) yield* part.writes
}

/** A change without a message cancels. */
function timerStatements(rows: string[]): Statement[] {
  const changes = json(`[${rows.join()}]`)
  return [
    sql`delete from timer t using json_to_recordset(${changes}) as r(a text, n text, m json) where r.m is null and t.address = r.a and t.name = r.n`,
    sql`insert into timer (partition, address, name, due_at, message) select r.p, r.a, r.n, r.d, r.m from json_to_recordset(${changes}) as r(p int, a text, n text, d timestamptz, m json) where r.m is not null on conflict (address, name) do update set due_at = excluded.due_at, message = excluded.message`,
  ]
}

const bigint = (value: number): Param => ({ type: 'bigint', value: String(value) })
const json = (text: string): Param => ({ type: 'json', value: literal(text) })
const list = (type: string, values: number[]): Param => ({ type: `${type}[]`, value: `'{${values}}'` })

function charactersOf(statements: readonly Statement[]): number {
  let characters = 0
  for (const { params } of statements) for (const { value } of params) characters += value.length
  return characters
}
