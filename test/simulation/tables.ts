/** The committed tables of the modelled PostgreSQL, and their state of a moment ago. */
import type { NodeFacts } from '../../runtime/commit/store.ts'

export type LaneRow = { node: string; commits: number; started_at: number }
export type NodeRow = { stamp: number; facts: NodeFacts }
export type PartitionRow = { owner: string | null; epoch: number }
export type OutboxRow = {
  partition: number
  source: number
  number: number
  address: string
  sender: string | null
  json: string
}
export type TimerRow = { partition: number; address: string; name: string; due: number | null; json: string }
export type DeadRow = { address: string; json: string; error: string }

/**
 * Values of a sequence that PostgreSQL notes in its log before it gives the first of them out. A standby begins after
 * them.
 */
const LOGGED = 32

export class Tables {
  readonly cluster = new Map<'partitions', number>()
  readonly nodes = new Map<string, NodeRow>()
  readonly partitions = new Map<number, PartitionRow>()
  readonly lanes = new Map<number, LaneRow>()
  readonly outbox = new Map<string, OutboxRow>()
  readonly timers = new Map<string, TimerRow>()
  readonly states = new Map<string, string>()
  readonly dead = new Map<number, DeadRow>()
  /** Sequences, which are no part of transactions. */
  readonly sequences = new Map<string, { last: number; logged: number }>()
  /** The changes that take back the last commits, where that may be asked for. */
  readonly #undo: { at: number; changes: Change[] }[] = []
  readonly #keeps: boolean

  /** `keeps` makes the tables remember the last commits, so that a standby may lack them. */
  constructor(keeps: boolean) {
    this.#keeps = keeps
  }

  next(sequence: 'stamp' | 'change' | 'source' | 'dead', at: number): number {
    const state = this.sequences.get(sequence) ?? { last: 0, logged: 0 }
    const last = state.last + 1
    let { logged } = state
    if (last > logged) {
      logged = last + LOGGED
      // The note in the log stands alone, whatever becomes of the transaction.
      if (this.#keeps) {
        this.#undo.push({
          at,
          changes: [{ map: this.sequences, key: sequence, value: { last: state.logged, logged: state.logged } }],
        })
      }
    }
    this.sequences.set(sequence, { last, logged })
    return last
  }

  apply(changes: readonly Change[], at: number): void {
    if (this.#keeps && changes.length > 0) {
      this.#undo.push({ at, changes: changes.map(({ map, key }) => ({ map, key, value: map.get(key) })) })
    }
    for (const { map, key, value } of changes) {
      if (value === undefined) map.delete(key)
      else map.set(key, value)
    }
  }

  /** Takes back all commits after `at`, like a standby that has not received them. */
  rewind(at: number): number {
    // A standby knows the last note of a sequence, not its last value.
    for (const [name, { logged }] of this.sequences) this.sequences.set(name, { last: logged, logged })
    let commits = 0
    for (let last = this.#undo.at(-1); last && last.at > at; last = this.#undo.at(-1)) {
      this.#undo.pop()
      for (const { map, key, value } of last.changes.toReversed()) {
        if (value === undefined) map.delete(key)
        else map.set(key, value)
      }
      commits++
    }
    return commits
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a change is of a table of any kind
export type Change = { map: Map<any, any>; key: unknown; value: unknown }

export const outboxKey = (partition: number, source: number, number: number) => `${partition} ${source} ${number}`
export const timerKey = (address: string, name: string) => `${address} ${name}`
