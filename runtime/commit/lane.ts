/**
 * The commit lane. It collects the pending turns of many actors and partitions and commits them as one transaction.
 *
 * Invariants (docs/engine.md):
 *  I1 A turn's state, sends, timers and the settling of its messages commit together or not at all.
 *  I2 Nothing leaves the node (reply, publish, slow work) before that commit.
 *  I3 Every commit checks the epoch of each partition in it; a stale owner cannot write.
 *  I4 A commit whose outcome is unknown is repeated, never guessed: the lane's own counter makes it idempotent. Once in
 *     doubt, no other outcome is believed before the counter has settled whether the first attempt happened.
 *  I5 When a commit fails, its pending turns are tried in halves, down to single ones; only the pending turn at fault
 *     stays behind.
 *  I6 Messages of one lane to one partition are numbered without gaps, in the order of their commits. A lane that
 *     serves newly taken partitions goes on under a new source, higher than any the former owner used, and receivers
 *     take the sources in order: so the order per sender and receiver outlives a change of owner.
 *
 * A source is used for a thousand commits or thirty seconds only, by an idle lane, too. The rows that its commits update
 * and settle leave dead versions, which stay as long as any transaction holds a snapshot, and every read of the newest
 * version would scan all of them.
 *
 * One writer: only `#run` commits, one transaction at a time. One file: every step of a commit, its doubt and the
 * change of its source read and move the same counters.
 */
import type { Write } from '../../storage/mod.ts'
import type { EarlyMessage } from '../actor/early_message.ts'
import { rowOf } from '../actor/entry.ts'
import type { DeadLetter, PendingTurn, Sent, TimerChange } from '../actor/pending_turn.ts'
import { classify, type Meaning } from '../failure.ts'
import type { Log } from '../log.ts'
import { type Clock, sleep } from '../time/clock.ts'
import type { Commit, Store, Transaction } from './store.ts'

/** Commits of a source that were acknowledged and are missing from the database. */
export type Lost = {
  source: number
  from: number
  to: number
  /** Times at which the first and the last of them were acknowledged, as ISO 8601; undefined when none was. */
  acknowledged_from: string | undefined
  acknowledged_to: string | undefined
}

export interface LaneOwner {
  /** The epoch this node holds the partition with, or undefined when it lost it. */
  epoch(partition: number): number | undefined
  /** True while turns are about to be decided without waiting for anything. */
  isDeciding(): boolean
  committed(pending_turns: PendingTurn[], sent: Sent[], source: number): void
  /** This pending turn cannot be committed, although it was alone in its transaction. */
  faulted(pending_turn: PendingTurn, error: Error): void
  /** This pending turn was not committed through no fault of its own: try it again later. */
  hindered(pending_turn: PendingTurn, meaning: 'blocked' | 'held', error: Error): void
  /** Some messages or timers of this pending turn were settled before: decide it again without them. */
  repeated(pending_turn: PendingTurn, error: Error): void
  /** The pending turn's partition has another owner now. */
  fenced(pending_turn: PendingTurn): void
  /** This pending turn depends on a turn that has failed (I16): decide it again without the messages of that turn. */
  retracted(pending_turn: PendingTurn): void
  /** It is unknown whether this pending turn was committed: its callers must not repeat it unasked. */
  doubtful(pending_turn: PendingTurn): void
  /** The counter of a source went back: the database has lost its commits `from` to `to`, which were acknowledged. */
  rewound(lost: Lost): void
}

const MAX_MESSAGES = 4096
const MAX_WRITES = 8192
const MAX_CHARACTERS = 8 * 1024 * 1024
const MIN_CHARACTERS = 128 * 1024
/** A commit that takes longer is too large for the connection to the database. */
const LONG_COMMIT_MS = 1000
/** Turns of the event loop for which a commit waits for turns that are about to be decided. */
const DECIDING_TURNS = 4
const RETRY_MS = [20, 50, 100, 250, 500, 1000]
/** Commits and milliseconds after which the lane leaves a source for a new one. */
const SOURCE_COMMITS = 1000
const SOURCE_MS = 30_000
/** After this many more milliseconds an idle lane leaves its source. */
const REFRESH_MS = 1000
/** Sources of this age are retired. Longer than any working lane keeps one. */
export const RETIRE_MS = 60_000
/** Lock timeout of each half, once a commit was found to be blocked. */
const BLOCKED_MS = 100
/** Lock timeout of a pending turn that was blocked before; it is committed apart from the others. */
const SUSPECT_MS = 25
/** Share of the lane's time that suspects may take. */
const SUSPECT_SHARE = 0.1
/** Longest pause after a blocked suspect: the delay may have been PostgreSQL's own. */
const SUSPECT_REST_MS = 1000
/** After this many blocked pending turns in a row the rest is assumed to be blocked, too. */
const MAX_BLOCKED = 4

type CommitFailure = { meaning: Meaning | 'again'; error: Error }
type Former = { source: number; next: number }

export class Lane {
  /** The id of its row in the `lane` table, under which its messages are numbered; 0 before the first commit. */
  source = 0
  /** A source that is out of use; the next registration deletes its row. 0: none. */
  #left = 0
  #commits = 0
  /** Acknowledgement times of this source's commits. */
  #acknowledged: { commit: number; at: number }[] = []
  #next = new Map<number, number>()
  /** The next numbers of the sources before this one, by partition, while the lane served the same partitions. */
  #former = new Map<number, Former>()
  #renewing = true
  /** The next source does not follow the present one: receivers have to read the outbox before they know it. */
  #breaks = true
  /** The next source follows the present one: the lane serves the same partitions. */
  #following = false
  #registered_at = 0
  /** Pending turns that were blocked by locks lately. */
  #suspects: PendingTurn[] = []
  #suspects_at = 0
  #blocked = 0
  #attempts = 0
  /** Start of the commit under way, by the monotonic clock; undefined while there is none. */
  #since: number | undefined
  #pending: PendingTurn[] = []
  /** Maximum characters sent in one commit: lower where the connection to the database is slow. */
  #most = MAX_CHARACTERS
  #running = false
  #stopped = false
  #idle: (() => void)[] = []
  readonly #node: string
  readonly #store: Store
  readonly #owner: LaneOwner
  readonly #clock: Clock
  readonly #log: Log
  readonly stats = { commits: 0, pending_turns: 0, messages: 0, retries: 0, fused: 0, retracted: 0 }

  constructor(store: Store, node: string, owner: LaneOwner, clock: Clock, log: Log) {
    this.#store = store
    this.#node = node
    this.#owner = owner
    this.#clock = clock
    this.#log = log
  }

  push(pending_turn: PendingTurn): void {
    if (pending_turn.activation?.is_suspect) this.#suspects.push(pending_turn)
    else this.#pending.push(pending_turn)
    if (!this.#running) void this.#run()
  }

  /** Commits from the next one on use a new source (I6). Call after taking partitions. */
  renew(): void {
    this.#renewing = true
    this.#following = false
    this.#breaks = true
  }

  /**
   * The source that receivers know this lane by, while the messages of the next commit follow what it has sent before;
   * undefined while they may not.
   */
  get known_source(): number | undefined {
    return this.#breaks || this.#stopped ? undefined : this.source
  }

  /** Begins a new source at once, and reports commits of the present one that the database has lost. */
  beginAnew(): void {
    this.renew()
    if (!this.#running) void this.#run()
  }

  /** Resolves when everything pushed so far is committed or given up. */
  async flush(): Promise<void> {
    if (this.#running) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Milliseconds for which the commit under way, or the source that it needs, has been waiting; 0 when there is none. */
  get waiting_ms(): number {
    return this.#since === undefined ? 0 : this.#clock.monotonic() - this.#since
  }

  /** Stops retrying; abandons a commit under way whose outcome is unknown. */
  stop(): void {
    this.#stopped = true
  }

  async #run(): Promise<void> {
    this.#running = true
    if (this.#renewing && this.source > 0) await this.#timed(() => this.#renew())
    while (this.#pending.length > 0 || this.#suspects.length > 0) {
      try {
        await this.#decided()
        const suspect = this.#suspect()
        if (suspect) await this.#trySuspect(suspect)
        else if (this.#pending.length > 0) await this.#whole(this.#take())
        else await sleep(this.#clock, Math.min(this.#suspects_at - this.#clock.monotonic(), 50))
      } catch (error) {
        this.#log.error({ error }, 'a commit lane failed')
      }
    }
    this.#running = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  /**
   * Waits for turns that are about to be decided: of actors that the last commit has released, and of receivers of early
   * messages. Costs no more than the deciding, and one transaction has them all.
   */
  async #decided(): Promise<void> {
    for (let turns = 0; turns < DECIDING_TURNS && this.#owner.isDeciding(); turns++) {
      await new Promise<void>((resolve) => this.#clock.soon(resolve))
    }
  }

  /**
   * Returns a pending turn that was blocked lately, when it may try again: waiting for locks may take a share of the
   * lane's time only.
   */
  #suspect(): PendingTurn | undefined {
    if (this.#suspects.length === 0 || this.#clock.monotonic() < this.#suspects_at) return undefined
    return this.#suspects.shift()
  }

  async #trySuspect(pending_turn: PendingTurn): Promise<void> {
    const from = this.#clock.monotonic()
    await this.#whole([pending_turn], SUSPECT_MS)
    const now = this.#clock.monotonic()
    if (this.#blocked > 0) this.#suspects_at = now + Math.min((now - from) / SUSPECT_SHARE, SUSPECT_REST_MS)
  }

  async #whole(pending_turns: PendingTurn[], lock_ms?: number): Promise<void> {
    this.#blocked = 0
    await this.#timed(() => this.#commit(pending_turns, lock_ms))
  }

  async #timed(work: () => Promise<unknown>): Promise<void> {
    this.#since = this.#clock.monotonic()
    try {
      await work()
    } finally {
      this.#since = undefined
    }
  }

  #take(): PendingTurn[] {
    let messages = 0
    let writes = 0
    let characters = 0
    let count = 0
    const isRoom = () => messages < MAX_MESSAGES && writes < MAX_WRITES && characters < this.#most
    while (count < this.#pending.length && isRoom()) {
      const pending_turn = this.#pending[count++]!
      messages += pending_turn.entries.length + pending_turn.sends.length
      writes += pending_turn.writes.length + pending_turn.timers.length
      for (const send of pending_turn.sends) characters += send.json.length
    }
    return count === this.#pending.length ? this.#pending.splice(0) : this.#pending.splice(0, count)
  }

  async #commit(batch: PendingTurn[], lock_ms?: number): Promise<void> {
    let pending_turns = this.#standing(batch)
    if (pending_turns.length === 0) return
    if (this.#isOld()) this.#leaveSource()
    if (this.#renewing) {
      const is_renewed = await this.#renew()
      // The node may have thrown its memory away meanwhile.
      pending_turns = this.#standing(pending_turns)
      if (!is_renewed) for (const pending_turn of pending_turns) this.#doubt(pending_turn)
      if (!is_renewed || pending_turns.length === 0) return
    }
    const numbers = new Map(this.#next)
    let sent: Sent[] = []
    let fused: EarlyMessage[] = []
    let failure: CommitFailure | undefined
    try {
      const sends = this.#number(pending_turns)
      sent = sends.sent
      fused = sends.fused
      const transaction = this.#store.transaction(this.#compile(pending_turns, sent))
      const from = this.#clock.monotonic()
      failure = await this.#execute(transaction, lock_ms)
      this.#learn(transaction.characters, this.#clock.monotonic() - from)
    } catch (error) {
      failure = { meaning: 'at-fault', error: error as Error }
    }
    if (failure) {
      this.#next = numbers
      await this.#failed(pending_turns, failure)
      return
    }
    for (const message of fused) message.fuse()
    for (const { early, number } of sent) early?.store(this.source, number)
    this.stats.fused += fused.length
    this.#commits++
    this.#acknowledged.push({ commit: this.#commits, at: this.#clock.now() })
    this.#blocked = 0
    this.stats.commits++
    this.stats.pending_turns += pending_turns.length
    this.stats.messages += sent.length
    this.#owner.committed(pending_turns, sent, this.source)
  }

  /**
   * Keeps the pending turns that may be committed together. Those whose partitions are not held under the same epoch as
   * when they were decided are fenced, and those that depend on a failed turn are retracted (I16).
   */
  #standing(batch: PendingTurn[]): PendingTurn[] {
    const attempt = ++this.#attempts
    return batch.filter((pending_turn) => {
      const { activation, early } = pending_turn
      const is_held =
        !activation || (activation.epoch !== undefined && this.#owner.epoch(activation.partition) === activation.epoch)
      if (!is_held) {
        pending_turn.cancelSends()
        this.#owner.fenced(pending_turn)
        return false
      }
      if (early.some(({ is_void }) => is_void)) {
        pending_turn.cancelSends()
        this.stats.retracted++
        this.#owner.retracted(pending_turn)
        return false
      }
      const before = early.find(({ is_open, sender_turn }) => is_open && sender_turn.attempt !== attempt)
      if (before) {
        before.onEnd(() => this.push(pending_turn))
        return false
      }
      pending_turn.attempt = attempt
      return true
    })
  }

  #doubt(pending_turn: PendingTurn): void {
    pending_turn.cancelSends()
    this.#owner.doubtful(pending_turn)
  }

  #learn(characters: number, ms: number): void {
    if (ms > LONG_COMMIT_MS) this.#most = Math.max(MIN_CHARACTERS, Math.min(this.#most, characters) / 2)
    else if (this.#most < MAX_CHARACTERS) this.#most = Math.min(MAX_CHARACTERS, this.#most * 2)
  }

  async #failed(pending_turns: PendingTurn[], { meaning, error }: CommitFailure): Promise<void> {
    if (meaning === 'unknown' || meaning === 'unavailable') {
      this.renew()
      for (const pending_turn of pending_turns) this.#doubt(pending_turn)
      return
    }
    if (meaning === 'again' || meaning === 'retired') {
      // Nothing was committed: the lane goes on, under a new source when its row is gone.
      if (meaning === 'retired') this.renew()
      await this.#commit(pending_turns)
      return
    }
    const is_hindered = meaning === 'blocked' || meaning === 'held'
    if (is_hindered && this.#blocked >= MAX_BLOCKED) {
      for (const pending_turn of pending_turns) {
        pending_turn.cancelSends()
        this.#owner.hindered(pending_turn, meaning, error)
      }
      return
    }
    if (pending_turns.length > 1) {
      const half = pending_turns.length >> 1
      await this.#commit(pending_turns.slice(0, half), is_hindered ? BLOCKED_MS : undefined)
      await this.#commit(pending_turns.slice(half), is_hindered ? BLOCKED_MS : undefined)
      return
    }
    const pending_turn = pending_turns[0]!
    pending_turn.cancelSends()
    if (is_hindered) {
      this.#blocked++
      this.#owner.hindered(pending_turn, meaning, error)
    } else if (meaning === 'fenced') this.#owner.fenced(pending_turn)
    else if (meaning === 'repeated') this.#owner.repeated(pending_turn, error)
    else this.#owner.faulted(pending_turn, error)
  }

  #isOld(): boolean {
    if (this.#renewing) return false
    return this.#commits >= SOURCE_COMMITS || this.#clock.monotonic() - this.#registered_at > SOURCE_MS
  }

  /** The first message of the next source names the last number of this one, so receivers know that nothing is missing between. */
  #leaveSource(): void {
    for (const [partition, next] of this.#next) this.#former.set(partition, { source: this.source, next })
    this.#next = new Map()
    this.#renewing = true
    this.#following = true
  }

  /** Registers a new source, numbering from 1. Resolves to false when stopped before it could. */
  async #renew(): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      // Reset before the insert: partitions taken during it need a source newer than this one.
      this.#renewing = false
      const following = this.#following
      this.#following = false
      try {
        const source = await this.#store.newSource(this.#node, this.#left)
        this.#left = source
        // Check the old source only now: a server that has the new source has everything from before it. Checked
        // earlier, the old source could be intact, and a standby without the last commits could take over before the
        // new one is registered.
        if (this.source !== 0 && (await this.#resolve()) === 'gone') this.source = 0
        this.#left = this.source
        this.source = source
        this.#registered_at = this.#clock.monotonic()
        this.#refreshLater(source)
        this.#commits = 0
        this.#acknowledged = []
        this.#next = new Map()
        if (!following) this.#former = new Map()
        if (!this.#renewing) {
          this.#breaks = false
          return true
        }
      } catch (error) {
        this.#renewing = true
        if (this.#stopped) return false
        await this.#pause(error as Error, attempt)
      }
    }
  }

  /**
   * An idle lane leaves its source, too, when it is old. So every source in use is young, and one that is missing shows
   * that the database has lost it (`#resolve`).
   */
  #refreshLater(source: number): void {
    this.#clock.after(SOURCE_MS + REFRESH_MS, () => {
      if (this.source !== source || this.#stopped) return
      if (this.#running) this.#refreshLater(source)
      else {
        // A lane that has taken partitions leaves it without a follower.
        if (!this.#renewing) this.#leaveSource()
        void this.#run()
      }
    })
  }

  /** Resolves to undefined when committed, else to the failure. Repeats while the outcome is unknown (I4). */
  async #execute(transaction: Transaction, lock_ms: number | undefined): Promise<CommitFailure | undefined> {
    let doubt = false
    for (let attempt = 0; ; attempt++) {
      let error: Error
      let meaning: Meaning
      try {
        await transaction.run(lock_ms)
        return undefined
      } catch (thrown) {
        error = thrown as Error
        meaning = classify(thrown)
      }
      // The server states that it did nothing, and would state so again.
      if (meaning === 'unavailable' && !this.#stopped) {
        await this.#pause(error, attempt)
        continue
      }
      if (meaning !== 'unknown') {
        if (!doubt && meaning !== 'retired') return { meaning, error }
        try {
          const outcome = await this.#resolve()
          if (outcome === 'committed') return undefined
          if (outcome === 'refused') return { meaning: meaning === 'retired' ? 'again' : meaning, error }
          return { meaning: doubt ? 'unknown' : 'retired', error }
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
   * Ends a doubt. A commit raises the counter from n to n + 1; this raises it from n to n + 2. A commit in doubt that
   * is still on its way can then no longer happen, so the counter's value is final.
   */
  async #resolve(): Promise<'committed' | 'refused' | 'gone'> {
    const commits = await this.#store.settleDoubt(this.source, this.#commits)
    if (commits === undefined) {
      // A source this young cannot have been retired: the database has lost its registration. The clocks of node and
      // database may differ in their rates by a tenth.
      if (this.#clock.monotonic() - this.#registered_at < RETIRE_MS * 0.9) this.#tellLost(1)
      return 'gone'
    }
    if (commits < this.#commits) {
      this.#tellLost(commits + 1)
      return 'gone'
    }
    if (commits === this.#commits + 1) return 'committed'
    this.#commits = commits
    return 'refused'
  }

  #tellLost(from: number): void {
    const lost = this.#acknowledged.filter(({ commit }) => commit >= from)
    const moment = (one: { at: number } | undefined) => one && new Date(one.at).toISOString()
    this.#owner.rewound({
      source: this.source,
      from,
      to: this.#commits,
      acknowledged_from: moment(lost[0]),
      acknowledged_to: moment(lost.at(-1)),
    })
  }

  async #pause(error: Error, attempt: number): Promise<void> {
    this.stats.retries++
    this.#log.warn({ error: error.message, attempt }, 'commit failed: repeating')
    const wait = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!
    await sleep(this.#clock, wait)
  }

  /** Numbers the messages that need a row; the others are fused (I17). */
  #number(pending_turns: PendingTurn[]): { sent: Sent[]; fused: EarlyMessage[] } {
    const sent: Sent[] = []
    const fused: EarlyMessage[] = []
    for (const pending_turn of pending_turns) {
      for (const send of pending_turn.sends) {
        if (send.early?.is_fused) {
          fused.push(send.early)
          continue
        }
        const number = this.#next.get(send.partition) ?? 1
        this.#next.set(send.partition, number + 1)
        const former = number === 1 ? this.#former.get(send.partition) : undefined
        sent.push(former ? { ...send, number, former } : { ...send, number })
      }
    }
    return { sent, fused }
  }

  #compile(pending_turns: PendingTurn[], sent: Sent[]): Commit {
    const epochs = new Map<number, number>()
    const settle: { partition: number; source: number; number: number }[] = []
    const fired: Commit['fired'][number][] = []
    const timers = new Map<string, TimerChange>()
    const states = new Map<string, string>()
    const dead: DeadLetter[] = []
    for (const pending_turn of pending_turns) {
      const activation = pending_turn.activation
      if (activation) epochs.set(activation.partition, activation.epoch!)
      for (const entry of pending_turn.entries) {
        if (entry.origin === 'tell') {
          // An early message without a row is applied in the transaction that sends it.
          const row = rowOf(entry)
          if (row) settle.push({ partition: activation!.partition, ...row })
        } else if (entry.timer) fired.push({ address: activation!.address, ...entry.timer })
      }
      for (const change of pending_turn.timers) timers.set(`${change.address} ${change.name}`, change)
      if (pending_turn.saved) states.set(activation!.address, JSON.stringify(activation!.state))
      dead.push(...pending_turn.dead)
    }
    return {
      source: this.source,
      commits: this.#commits + 1,
      fences: [...epochs].map(([partition, epoch]) => ({ partition, epoch })),
      settle,
      fired,
      timers: [...timers.values()],
      states: [...states].map(([address, json]) => ({ address, json })),
      sent,
      dead,
      writes: everyWrite(pending_turns),
    }
  }
}

function* everyWrite(pending_turns: PendingTurn[]): Generator<Write> {
  for (const pending_turn of pending_turns) yield* pending_turn.writes
}
