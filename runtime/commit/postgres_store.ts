/**
 * The engine's store in PostgreSQL. Its functions and tables come from the migrations 0001 and 0021. One file: each method is one
 * statement of the same port.
 */
import { advisoryLock, type Database, outrunOwners, type Sql, sql } from '../../storage/mod.ts'
import { commitStatements } from './commit_statements.ts'
import { OutboxQueries } from './outbox_queries.ts'
import { RowLocations } from './row_locations.ts'
import type {
  Commit,
  LeasedNode,
  NodeFacts,
  Renewal,
  Store,
  StoredPartition,
  StoredTimer,
  Tenure,
  Transaction,
} from './store.ts'

/** Number of nodes checked with each renewal. When one of them is dead, all nodes are checked. */
const OLDEST = 8

/** Range from which the gap to the next source is drawn. */
const SOURCES = 1_000_000
/** The advisory lock for drawing sources. */
const NEW_SOURCE = advisoryLock('new_source')

export class PostgresStore implements Store {
  readonly #database: Database
  readonly #outbox: OutboxQueries
  readonly #locations = new RowLocations()

  constructor(database: Database) {
    this.#database = database
    this.#outbox = new OutboxQueries(database)
  }

  async layOut(count: number): Promise<number> {
    await this.#database.execute(sql`insert into cluster (partitions) values (${count}) on conflict do nothing`)
    const rows = await this.#database.execute(sql`select partitions from cluster`)
    const partitions = rows[0]!.partitions as number
    await this.#database.execute(
      sql`insert into partition (id) select generate_series(0, ${partitions - 1}) on conflict do nothing`,
    )
    return partitions
  }

  // --- leases ------------------------------------------------------------------------------------------------------

  async join(node: string, facts: NodeFacts): Promise<Renewal> {
    const rows = await this.#database.execute(
      sql`select * from lease_join(${node}, ${JSON.stringify(facts)}, ${OLDEST})`,
    )
    return renewal(rows[0]!)
  }

  async renew(node: string, facts: NodeFacts, known: number, floor: number, ms: number): Promise<Renewal> {
    const rows = await this.#database.ask(
      sql`select * from lease_renew(${node}, ${JSON.stringify(facts)}, ${known}, ${floor}, ${OLDEST})`,
      ms,
    )
    return renewal(rows[0]!)
  }

  async endLease(node: string, stamp: number): Promise<boolean> {
    const rows = await this.#database.execute(sql`select lease_end(${node}, ${stamp}) as ended`)
    return rows[0]!.ended as boolean
  }

  async leave(node: string): Promise<void> {
    await this.#database.execute(sql`select lease_end(${node}, null)`)
  }

  async endOthers(node: string): Promise<void> {
    await this.#database.execute(sql`select lease_end(id, null) from node where id <> ${node}`)
  }

  /** The floor avoids scanning old row versions that a snapshot keeps: one for each renewal of each node. */
  async members(floor: number): Promise<LeasedNode[]> {
    const rows = await this.#database.execute<{ id: string; stamp: string; facts: NodeFacts }>(
      sql`select id, stamp::text, facts from node where stamp >= ${floor} order by id`,
    )
    return rows.map(({ id, stamp, facts }) => ({ id, stamp: Number(stamp), facts }))
  }

  // --- partitions --------------------------------------------------------------------------------------------------

  async partitions(): Promise<StoredPartition[]> {
    const rows = await this.#database.execute<{ id: number; owner: string | null; epoch: string }>(
      sql`select id, owner, epoch::text from partition order by id`,
    )
    return rows.map(({ id, owner, epoch }) => ({ id, owner, epoch: Number(epoch) }))
  }

  async take(node: string, partitions: readonly { id: number; epoch: number }[]): Promise<Map<number, number>> {
    if (partitions.length === 0) return new Map()
    const ids = partitions.map(({ id }) => id)
    const epochs = partitions.map(({ epoch }) => epoch)
    const taken = await this.#taken(
      node,
      sql`select t.id, t.epoch from partition t join unnest(${sql.numbers(ids)}::int[], ${sql.numbers(epochs)}::bigint[]) as seen(id, epoch)
         on t.id = seen.id and t.epoch = seen.epoch
       where t.owner is null or t.owner = ${node} or not exists (select from node n where n.id = t.owner)
       order by t.id for update of t`,
    )
    return new Map([...taken].map(([id, { epoch }]) => [id, epoch]))
  }

  async seize(node: string, partitions: readonly number[]): Promise<Map<number, Tenure>> {
    if (partitions.length === 0) return new Map()
    return this.#taken(
      node,
      sql`select id, epoch from partition where id in (${sql.list(partitions)}) order by id for update`,
    )
  }

  /** Not the next number: a server that has lost the last epochs must not give one of them out again. */
  async #taken(node: string, locked: Sql): Promise<Map<number, Tenure>> {
    const rows = await this.#database.execute(sql`
      update partition p set owner = ${node}, epoch = p.epoch + 1 + floor(random() * 1000000)::int,
        taken_at = clock_timestamp()
      from (${locked}) as locked where p.id = locked.id
      returning p.id, p.epoch::text, locked.epoch::text as former,
        (extract(epoch from p.taken_at) * 1000)::float8 as taken_ms`)
    for (const { taken_ms } of rows) outrunOwners(taken_ms as number)
    return new Map(
      rows.map(({ id, epoch, former }) => [id as number, { epoch: Number(epoch), former: Number(former) }]),
    )
  }

  async release(node: string, partitions: readonly { id: number; epoch: number }[]): Promise<void> {
    if (partitions.length === 0) return
    const held = partitions.map(({ id, epoch }) => sql`(${id}, ${epoch})`)
    await this.#database.execute(
      sql`update partition set owner = null where owner = ${node} and (id, epoch) in (${sql.join(held, ',')})`,
    )
  }

  // --- commits -----------------------------------------------------------------------------------------------------

  /**
   * Sources must become visible in ascending order: inboxes let everything below the lowest living source (their floor)
   * run past. An advisory lock ensures that; it is taken after everything that the statement may have to wait for. The
   * gaps are random, so that a server that has lost the last sources gives none of them out again.
   */
  async newSource(node: string, former: number): Promise<number> {
    const rows = await this.#database.execute(
      sql`with gone as (delete from lane where source = ${former} returning source),
         turn as materialized (select pg_advisory_xact_lock(${NEW_SOURCE}) from (select count(*) from gone) as waited)
       insert into lane (source, node) overriding system value
         select nextval('lane_source_seq') * ${SOURCES} + floor(random() * ${SOURCES})::int, ${node} from turn
       returning source::text`,
    )
    return Number(rows[0]!.source)
  }

  transaction(commit: Commit): Transaction {
    const statements = commitStatements(this.#database, commit, this.#locations)
    let characters = 0
    for (const { params } of statements) for (const { value } of params) characters += value.length
    const { history } = this.#database
    return {
      characters,
      run: async (lock_timeout_ms) => {
        const how = { ...(lock_timeout_ms && { lock_timeout_ms }), history }
        this.#seePlaces(commit, await this.#database.commit(statements, how))
      },
    }
  }

  #seePlaces({ states }: Commit, rows: Record<string, unknown>[]): void {
    if (states.length === 0) return
    const row = rows.find((row) => 'locations' in row) as { locations: string }
    const locations = row.locations.split(' ')
    for (const [i, { address }] of states.entries()) this.#locations.see(address, locations[i]!)
  }

  async settleDoubt(source: number, commits: number): Promise<number | undefined> {
    const row = sql`source = ${source}`
    await this.#database.execute(sql`update lane set commits = ${commits + 2} where ${row} and commits = ${commits}`)
    const rows = await this.#database.execute(sql`select commits::text from lane where ${row}`)
    return rows.length === 0 ? undefined : Number(rows[0]!.commits)
  }

  async retireSources(older_than_ms: number): Promise<void> {
    await this.#database.execute(
      sql`delete from lane where started_at < clock_timestamp() - ${older_than_ms} * interval '1 millisecond'`,
    )
  }

  // --- what was committed ------------------------------------------------------------------------------------------

  readOutbox(...asked: Parameters<Store['readOutbox']>): ReturnType<Store['readOutbox']> {
    return this.#outbox.readOutbox(...asked)
  }

  readOutboxOf(...asked: Parameters<Store['readOutboxOf']>): ReturnType<Store['readOutboxOf']> {
    return this.#outbox.readOutboxOf(...asked)
  }

  backlogs(...asked: Parameters<Store['backlogs']>): ReturnType<Store['backlogs']> {
    return this.#outbox.backlogs(...asked)
  }

  countOutbox(...asked: Parameters<Store['countOutbox']>): ReturnType<Store['countOutbox']> {
    return this.#outbox.countOutbox(...asked)
  }

  async unsettled(rows: readonly { partition: number; source: number; number: number }[]): Promise<boolean[]> {
    const values = rows.map(({ partition, source, number }) => sql`${partition}, ${source}, ${number}`)
    return this.#exist(
      rows.length,
      () => sql`select exists (select from outbox o where (o.partition, o.source, o.number) = (x.p, x.s, x.n)) as there
        from (values ${sql.join(
          values.map((value, i) => sql`(${i}, ${value})`),
          ',',
        )}) as x(i, p, s, n) order by x.i`,
    )
  }

  async unfired(timers: readonly { address: string; name: string; due: number }[]): Promise<boolean[]> {
    const values = timers.map(({ address, name, due }, i) => sql`(${i}, ${address}, ${name}, ${instant(due)})`)
    return this.#exist(
      timers.length,
      () => sql`select exists (select from timer t where t.address = x.a and t.name = x.n and t.due_at = x.d) as there
        from (values ${sql.join(values, ',')}) as x(i, a, n, d) order by x.i`,
    )
  }

  async #exist(count: number, query: () => Sql): Promise<boolean[]> {
    if (count === 0) return []
    const rows = await this.#database.execute(query())
    return rows.map((row) => row.there as boolean)
  }

  async readTimers(
    partitions: readonly number[],
    until: number,
    limit_each: number,
    without: readonly string[],
  ): Promise<StoredTimer[]> {
    const others = without.length === 0 ? sql`` : sql`and address <> all (array[${sql.list(without)}])`
    const rows = await this.#database.execute(sql`
      select t.partition, t.address, t.name, (extract(epoch from t.due_at) * 1000)::float8 as due, t.message
      from unnest(${sql.numbers(partitions)}::int[]) as p(id) cross join lateral (
        select * from timer where partition = p.id and due_at <= ${instant(until)} ${others}
        order by due_at limit ${limit_each}) t`)
    return rows.map((row) => ({
      partition: row.partition as number,
      address: row.address as string,
      name: row.name as string,
      due: Math.round(row.due as number),
      message: row.message as StoredTimer['message'],
    }))
  }

  async readAwake(
    partitions: readonly number[],
    after: string,
    limit: number,
  ): Promise<{ partition: number; address: string }[]> {
    const rows = await this.#database.execute(sql`
      select partition, address from timer where partition in (${sql.list(partitions)}) and due_at is null
        and address > ${after} order by address limit ${limit}`)
    return rows.map((row) => ({ partition: row.partition as number, address: row.address as string }))
  }

  async readStates(addresses: readonly string[]): Promise<Map<string, unknown>> {
    const list = sql.join(
      addresses.map((address) => sql`${address}`),
      ',',
    )
    const rows = await this.#database.execute(
      sql`select address, state, ctid::text as location from actor_state where address in (${list})`,
    )
    const states = new Map<string, unknown>()
    for (const row of rows) {
      const address = row.address as string
      if (states.has(address)) throw new Error(`there are two states of ${address}: remove one of them`)
      states.set(address, row.state)
      this.#locations.see(address, row.location as string)
    }
    return states
  }

  breakConnections(): void {
    this.#database.breakConnections()
  }

  onRewound(listener: () => void): () => void {
    return this.#database.onHistoryChange(listener)
  }
}

function renewal(row: Record<string, unknown>): Renewal {
  const { stamp, before, membership, oldest, now_ms } = row
  return {
    stamp: stamp === null ? undefined : Number(stamp),
    before: before === null ? undefined : Number(before),
    membership: Number(membership),
    oldest: (oldest as { id: string; stamp: number }[] | null) ?? [],
    now: now_ms as number,
  }
}

const instant = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`
