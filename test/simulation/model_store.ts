/**
 * The engine's store in the modelled PostgreSQL. It does the same as the SQL of `runtime/commit/postgres_store.ts` and its
 * migrations: it locks the same rows in the same order, compares the same values and refuses with the same SQLSTATE.
 * Both stores pass `test/runtime/store_conformance.ts`. One file, because the class has one method for each question of
 * the port.
 */
import type { OutboxRow } from '../../runtime/actor/outbox_row.ts'
import type {
  Backlog,
  Commit,
  Floor,
  Store,
  StoredPartition,
  StoredTimer,
  Tenure,
  Transaction,
} from '../../runtime/commit/store.ts'
import type { Line } from './line.ts'
import { carryOut, describe } from './model_commit.ts'
import { ModelLeases } from './model_leases.ts'
import type { Transaction as ServerTransaction } from './server.ts'
import { outboxKey, type OutboxRow as StoredRow, timerKey } from './tables.ts'

/** The distance between epochs that a partition may get one after the other. */
const MAX_EPOCHS = 1_000_000
const SOURCES = 1_000_000

export class ModelStore implements Store {
  readonly #line: Line
  readonly #leases: ModelLeases

  constructor(line: Line) {
    this.#line = line
    this.#leases = new ModelLeases(line)
  }

  get #world() {
    return this.#line.host.world
  }

  layOut(wanted: number): Promise<number> {
    return this.#line.call('pool', true, (tx) => {
      const { cluster, partitions } = tx.tables
      tx.lock(['cluster'], 'update', () => {
        const count = cluster.get('partitions') ?? wanted
        if (!cluster.has('partitions')) {
          tx.set(cluster, 'partitions', count)
        }
        for (let id = 0; id < count; id++) {
          if (!partitions.has(id)) tx.set(partitions, id, { owner: null, epoch: 0 })
        }
        tx.commit(count)
      })
    })
  }

  // --- leases ------------------------------------------------------------------------------------------------------

  join(...asked: Parameters<Store['join']>): ReturnType<Store['join']> {
    return this.#leases.join(...asked)
  }

  renew(...asked: Parameters<Store['renew']>): ReturnType<Store['renew']> {
    return this.#leases.renew(...asked)
  }

  endLease(...asked: Parameters<Store['endLease']>): ReturnType<Store['endLease']> {
    return this.#leases.endLease(...asked)
  }

  leave(...asked: Parameters<Store['leave']>): ReturnType<Store['leave']> {
    return this.#leases.leave(...asked)
  }

  endOthers(...asked: Parameters<Store['endOthers']>): ReturnType<Store['endOthers']> {
    return this.#leases.endOthers(...asked)
  }

  members(...asked: Parameters<Store['members']>): ReturnType<Store['members']> {
    return this.#leases.members(...asked)
  }

  // --- partitions --------------------------------------------------------------------------------------------------

  partitions(): Promise<StoredPartition[]> {
    return this.#line.call('pool', false, (tx) => {
      const rows = [...tx.tables.partitions].map(([id, { owner, epoch }]) => ({ id, owner, epoch }))
      tx.commit(rows.sort((a, b) => a.id - b.id))
    })
  }

  async take(node: string, partitions: readonly { id: number; epoch: number }[]): Promise<Map<number, number>> {
    if (partitions.length === 0) return new Map()
    return this.#line.call(
      'pool',
      true,
      (tx) => {
        const rows = tx.tables.partitions
        // The snapshot of the statement. Conditions on the partition's own row are checked again after the row is
        // locked.
        const leased = new Set(tx.tables.nodes.keys())
        const wanted = new Map(partitions.map(({ id, epoch }) => [id, epoch]))
        const isFree = (id: number): boolean => {
          const { owner, epoch } = rows.get(id) ?? { owner: '', epoch: -1 }
          const is_free = owner === null || owner === node || !leased.has(owner)
          return epoch === wanted.get(id) && is_free
        }
        this.#takeAll(tx, node, [...wanted.keys()].filter(isFree), isFree, ({ epoch }) => epoch)
      },
      { what: this.#world.is_traced ? `takes for ${node}` : undefined },
    )
  }

  async seize(node: string, partitions: readonly number[]): Promise<Map<number, Tenure>> {
    if (partitions.length === 0) return new Map()
    return this.#line.call('pool', true, (tx) => {
      const there = partitions.filter((id) => tx.tables.partitions.has(id))
      this.#takeAll(
        tx,
        node,
        there,
        () => true,
        (tenure) => tenure,
      )
    })
  }

  #takeAll<Taken>(
    tx: ServerTransaction,
    node: string,
    ids: number[],
    isFree: (id: number) => boolean,
    told: (tenure: Tenure) => Taken,
  ): void {
    const rows = ids.sort((a, b) => a - b).map((id) => `partition ${id}`)
    const { partitions } = tx.tables
    tx.lock(rows, 'update', () => {
      const taken = new Map<number, Taken>()
      for (const id of ids) {
        if (!isFree(id)) continue
        const former = partitions.get(id)!.epoch
        const epoch = former + 1 + this.#world.whole(0, MAX_EPOCHS - 1)
        tx.set(partitions, id, { owner: node, epoch })
        taken.set(id, told({ epoch, former }))
      }
      tx.commit(taken)
    })
  }

  async release(node: string, partitions: readonly { id: number; epoch: number }[]): Promise<void> {
    if (partitions.length === 0) return
    await this.#line.call('pool', true, (tx) => {
      const rows = tx.tables.partitions
      const held = new Map(partitions.map(({ id, epoch }) => [id, epoch]))
      const isOwn = (id: number): boolean => {
        const { owner, epoch } = rows.get(id) ?? { owner: null, epoch: -1 }
        return owner === node && epoch === held.get(id)
      }
      const own = [...held.keys()].filter(isOwn)
      tx.lock(
        own.map((id) => `partition ${id}`),
        'update',
        () => {
          for (const id of own) if (isOwn(id)) tx.set(rows, id, { ...rows.get(id)!, owner: null })
          tx.commit(undefined)
        },
      )
    })
  }

  // --- commits -----------------------------------------------------------------------------------------------------

  newSource(node: string, former: number): Promise<number> {
    return this.#line.call('pool', true, (tx) => {
      const { lanes } = tx.tables
      const rows = lanes.has(former) ? [`lane ${former}`] : []
      const draw = () => {
        tx.set(lanes, former, undefined)
        const source = tx.tables.next('source', this.#world.time) * SOURCES + this.#world.whole(0, SOURCES - 1)
        tx.set(lanes, source, { node, commits: 0, started_at: this.#line.server.now() })
        tx.commit(source)
      }
      tx.lock(rows, 'update', () => tx.lock(['new source'], 'update', draw))
    })
  }

  transaction(commit: Commit): Transaction {
    for (const _ of commit.writes) throw new Error('the model has no tables of the domain')
    let characters = 0
    for (const { json } of [...commit.sent, ...commit.states]) characters += json.length
    const { history } = this.#line
    const what = this.#world.is_traced ? describe(commit) : undefined
    return {
      characters,
      run: (lock_ms) =>
        this.#line.call('commit', true, (tx) => carryOut(commit, tx, this.#line), { lock_ms, history, what }),
    }
  }

  async settleDoubt(source: number, commits: number): Promise<number | undefined> {
    await this.#line.call('pool', true, (tx) => {
      const { lanes } = tx.tables
      if (lanes.get(source)?.commits !== commits) {
        tx.commit(undefined)
        return
      }
      tx.lock([`lane ${source}`], 'update', () => {
        const row = lanes.get(source)
        if (row?.commits === commits) tx.set(lanes, source, { ...row, commits: commits + 2 })
        tx.commit(undefined)
      })
    })
    return this.#line.call('pool', false, (tx) => {
      tx.commit(tx.tables.lanes.get(source)?.commits)
      this.#line.server.looked()
    })
  }

  async retireSources(older_than_ms: number): Promise<void> {
    await this.#line.call('pool', true, (tx) => {
      const { lanes } = tx.tables
      const before = this.#line.server.now() - older_than_ms
      const old = [...lanes].filter(([, { started_at }]) => started_at < before).map(([source]) => source)
      tx.lock(
        old.map((source) => `lane ${source}`),
        'update',
        () => {
          for (const source of old) tx.set(lanes, source, undefined)
          tx.commit(undefined)
        },
      )
    })
  }

  // --- what was committed ------------------------------------------------------------------------------------------

  readOutbox(
    partition: number,
    floor: number,
    known: readonly Floor[],
    limit: number,
    characters: number,
  ): Promise<OutboxRow[]> {
    return this.#line.call('pool', false, (tx) => {
      const from = new Map(known.map(({ source, number }) => [source, number]))
      const rows = [...tx.tables.outbox.values()].filter(
        (row) => row.partition === partition && row.source >= floor && row.number >= (from.get(row.source) ?? 0),
      )
      tx.commit(pageOf(rows, limit, characters))
    })
  }

  async readOutboxOf(
    address: string,
    partition: number,
    below: readonly Floor[],
    limit: number,
    characters: number,
  ): Promise<OutboxRow[]> {
    if (below.length === 0) return []
    return this.#line.call('pool', false, (tx) => {
      const to = new Map(below.map(({ source, number }) => [source, number]))
      const rows = [...tx.tables.outbox.values()].filter(
        (row) => row.address === address && row.partition === partition && row.number < (to.get(row.source) ?? 0),
      )
      tx.commit(pageOf(rows, limit, characters))
    })
  }

  backlogs(floors: readonly { partition: number; source: number }[]): Promise<{ found: Backlog[]; lowest: number }> {
    return this.#line.call('pool', false, (tx) => {
      const from = new Map(floors.map(({ partition, source }) => [partition, source]))
      const found = new Map<string, Backlog>()
      for (const { partition, source, number } of tx.tables.outbox.values()) {
        const floor = from.get(partition)
        if (floor === undefined || source < floor) continue
        const key = `${partition} ${source}`
        const one = found.get(key)
        if (!one) found.set(key, { partition, source, first: number, last: number })
        else {
          one.first = Math.min(one.first, number)
          one.last = Math.max(one.last, number)
        }
      }
      const lowest = Math.min(...tx.tables.lanes.keys())
      tx.commit({ found: [...found.values()], lowest: Number.isFinite(lowest) ? lowest : 0 })
    })
  }

  countOutbox(
    floors: readonly { partition: number; source: number }[],
    limit: number,
  ): Promise<Map<number, Map<string, number>>> {
    return this.#line.call('pool', false, (tx) => {
      const ordered = [...tx.tables.outbox.values()].sort((a, b) => a.source - b.source || a.number - b.number)
      const counts = floors.map(({ partition, source }) => {
        const rows = ordered.filter((row) => row.partition === partition && row.source >= source).slice(0, limit)
        const of_receiver = Map.groupBy(rows, ({ address }) => address)
        return [partition, new Map([...of_receiver].map(([address, all]) => [address, all.length]))] as const
      })
      tx.commit(new Map(counts))
    })
  }

  async unsettled(rows: readonly { partition: number; source: number; number: number }[]): Promise<boolean[]> {
    if (rows.length === 0) return []
    return this.#line.call('pool', false, (tx) =>
      tx.commit(rows.map((row) => tx.tables.outbox.has(outboxKey(row.partition, row.source, row.number)))),
    )
  }

  async unfired(timers: readonly { address: string; name: string; due: number }[]): Promise<boolean[]> {
    if (timers.length === 0) return []
    return this.#line.call('pool', false, (tx) =>
      tx.commit(timers.map(({ address, name, due }) => tx.tables.timers.get(timerKey(address, name))?.due === due)),
    )
  }

  readTimers(
    partitions: readonly number[],
    until: number,
    limit_each: number,
    without: readonly string[],
  ): Promise<StoredTimer[]> {
    return this.#line.call('pool', false, (tx) => {
      const rows = partitions.flatMap((partition) => {
        const near: StoredTimer[] = []
        for (const { due, json, ...row } of tx.tables.timers.values()) {
          if (row.partition === partition && due !== null && due <= until && !without.includes(row.address))
            near.push({ ...row, due, message: JSON.parse(json) })
        }
        return near.sort((a, b) => a.due - b.due).slice(0, limit_each)
      })
      tx.commit(rows)
    })
  }

  readAwake(
    partitions: readonly number[],
    after: string,
    limit: number,
  ): Promise<{ partition: number; address: string }[]> {
    return this.#line.call('pool', false, (tx) => {
      const rows = [...tx.tables.timers.values()]
        .filter(({ partition, address, due }) => due === null && partitions.includes(partition) && address > after)
        .map(({ partition, address }) => ({ partition, address }))
      tx.commit(rows.sort((a, b) => (a.address < b.address ? -1 : 1)).slice(0, limit))
    })
  }

  readStates(addresses: readonly string[]): Promise<Map<string, unknown>> {
    return this.#line.call('pool', false, (tx) => {
      const found = new Map<string, unknown>()
      for (const address of addresses) {
        const json = tx.tables.states.get(address)
        if (json !== undefined) found.set(address, JSON.parse(json))
      }
      tx.commit(found)
    })
  }

  breakConnections(): void {
    this.#line.break()
  }

  onRewound(listener: () => void): () => void {
    return this.#line.listen(listener)
  }
}

function pageOf(rows: StoredRow[], limit: number, characters: number): OutboxRow[] {
  const page: OutboxRow[] = []
  let total = 0
  const sorted = rows.sort((a, b) => a.source - b.source || a.number - b.number)
  for (const { source, number, address, sender, json } of sorted.slice(0, limit)) {
    page.push({ source, number, address, sender, message: JSON.parse(json), size: json.length })
    total += json.length
    if (total >= characters) break
  }
  return page
}
