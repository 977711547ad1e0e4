/** The cost of a fleet for PostgreSQL and the broker over a period. */
import { quantile } from '../bench/report/figures.ts'
import type { Fleet } from './fleet.ts'
import { bytesMoved, type MeasuredServer } from './server.ts'

/** Rates for each second of the nodes' time; CPU in seconds, sizes in bytes, round trips in milliseconds of the machine. */
export type Cost = {
  renewals: number
  queries: number
  rows: number
  cpu: number
  wire: number
  log: number
  p50: number
  p99: number
  published: number
  delivered: number
}

const QUERIES = [
  'renewals',
  'reads of members',
  'reads of partitions',
  'joins',
  'leases ended',
  'takes',
  'releases',
] as const

export class Meter {
  readonly #fleet: Fleet
  readonly #server: MeasuredServer | undefined
  #before!: Totals

  constructor(fleet: Fleet, server?: MeasuredServer) {
    this.#fleet = fleet
    this.#server = server
  }

  async begin(): Promise<void> {
    this.#fleet.calls.renewal_ms = []
    this.#before = await this.#totals()
  }

  /** Returns the cost since `begin`, for each second. */
  async cost(): Promise<Cost> {
    const totals = await this.#sums()
    const { at, ...sums } = totals
    const seconds = at / 1000
    const per = (sum: number) => sum / seconds
    const { renewal_ms } = this.#fleet.calls
    return {
      renewals: per(sums.renewals),
      queries: per(sums.queries),
      rows: per(sums.rows),
      cpu: per(sums.cpu),
      wire: per(sums.wire),
      log: per(sums.log),
      published: per(sums.published),
      delivered: per(sums.delivered),
      p50: quantile(renewal_ms, 0.5),
      p99: quantile(renewal_ms, 0.99),
    }
  }

  /** Returns queries, rows and CPU seconds since `begin`. */
  async #sums(): Promise<Totals> {
    const now = await this.#totals()
    const entries = Object.entries(now) as [keyof Totals, number][]
    return Object.fromEntries(entries.map(([name, value]) => [name, value - this.#before[name]])) as Totals
  }

  /** Returns the whole cost since `begin`. */
  async sums(): Promise<Pick<Totals, 'queries' | 'rows' | 'cpu'>> {
    return this.#sums()
  }

  async #totals(): Promise<Totals> {
    const { calls, broker, database, time } = this.#fleet
    const rows = await database.execute<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`)
    return {
      at: time.now(),
      renewals: calls.of('renewals'),
      queries: QUERIES.reduce((sum, name) => sum + calls.of(name), 0),
      rows: calls.of('rows'),
      cpu: this.#server?.cpu() ?? Number.NaN,
      wire: bytesMoved(),
      log: Number(rows[0]!.bytes),
      published: broker.published,
      delivered: broker.delivered,
    }
  }
}

/** Sums since the fleet began. `at` is in milliseconds. */
type Totals = Omit<Cost, 'p50' | 'p99'> & { at: number }
