/**
 * The engine's store in the modelled PostgreSQL. It keeps to what the SQL of `runtime/postgres_store.ts` and its migrations
 * does: the same rows are locked in the same order, the same is compared, the same SQLSTATE tells of it. Both pass
 * `test/runtime/store_conformance.ts`.
 */
import type {
  Backlog,
  Commit,
  Floor,
  LeasedNode,
  NodeFacts,
  OutboxRow,
  Renewal,
  Store,
  StoredPartition,
  StoredTimer,
  Transaction,
} from '../../runtime/store.ts'
import type { Line } from './line.ts'
import type { Transaction as ServerTransaction } from './server.ts'
import { outboxKey, type OutboxRow as StoredRow, timerKey } from './tables.ts'

const OLDEST = 8
/** Between the epochs that a partition may be given one after the other. */
const MOST_EPOCHS = 1_000_000
const SOURCES = 1_000_000

export class ModelStore implements Store {
  readonly #line: Line

  constructor(line: Line) {
    this.#line = line
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

  join(node: string, facts: NodeFacts): Promise<Renewal> {
    return this.#line.call('pool', true, (tx) => {
      const { nodes } = tx.tables
      tx.lock([`node ${node}`], 'update', () => {
        const stamp = tx.tables.next('stamp', this.#world.time)
        tx.set(nodes, node, { stamp, facts })
        this.#moveMembership(tx)
        const others = oldestNodes(tx, 0).filter(({ id }) => id !== node)
        tx.commit(this.#renewal(tx, stamp, undefined, [...others, { id: node, stamp }].slice(0, OLDEST)))
      })
    })
  }

  renew(node: string, facts: NodeFacts, known: number, floor: number, ms: number): Promise<Renewal> {
    const body = (tx: ServerTransaction) => {
      const { nodes } = tx.tables
      const answer = (stamp: number | undefined, before: number | undefined) => {
        const oldest = oldestNodes(tx, 0).map((one) =>
          one.id === node && stamp !== undefined ? { id: node, stamp } : one,
        )
        const listed = oldest.filter((one) => one.stamp >= floor).sort((a, b) => a.stamp - b.stamp)
        tx.commit(this.#renewal(tx, stamp, before, listed.slice(0, OLDEST)))
      }
      const renewed = () => {
        const row = nodes.get(node)
        if (!row || row.stamp < known) {
          answer(undefined, row?.stamp)
          return
        }
        const stamp = tx.tables.next('stamp', this.#world.time)
        tx.set(nodes, node, { stamp, facts })
        if (!isSame(row.facts, facts)) this.#moveMembership(tx)
        answer(stamp, row.stamp)
      }
      if (nodes.has(node)) tx.lock([`node ${node}`], 'update', renewed)
      else renewed()
    }
    return this.#line.call('ask', true, body, { ms })
  }

  endLease(node: string, stamp: number): Promise<boolean> {
    const end = (tx: ServerTransaction) =>
      this.#end(tx, node, stamp, (ended) => {
        if (ended) this.#line.server.leases_ended++
        tx.commit(ended)
      })
    return this.#line.call('pool', true, end)
  }

  async leave(node: string): Promise<void> {
    await this.#line.call('pool', true, (tx) => this.#end(tx, node, undefined, (ended) => tx.commit(ended)))
  }

  async endOthers(node: string): Promise<void> {
    await this.#line.call('pool', true, (tx) => {
      const others = [...tx.tables.nodes.keys()].filter((id) => id !== node)
      const next = (): void => {
        const id = others.shift()
        if (id === undefined) tx.commit(undefined)
        else this.#end(tx, id, undefined, next)
      }
      next()
    })
  }

  members(floor: number): Promise<LeasedNode[]> {
    return this.#line.call('pool', false, (tx) => {
      const rows = [...tx.tables.nodes].map(([id, { stamp, facts }]) => ({ id, stamp, facts }))
      tx.commit(rows.filter(({ stamp }) => stamp >= floor).sort((a, b) => (a.id < b.id ? -1 : 1)))
    })
  }

  #end(tx: ServerTransaction, node: string, stamp: number | undefined, then: (ended: boolean) => void): void {
    const { nodes } = tx.tables
    const seen = nodes.get(node)
    if (!seen || (stamp !== undefined && seen.stamp !== stamp)) {
      then(false)
      return
    }
    tx.lock([`node ${node}`], 'update', () => {
      const row = nodes.get(node)
      if (!row || (stamp !== undefined && row.stamp !== stamp)) {
        then(false)
        return
      }
      tx.set(nodes, node, undefined)
      this.#moveMembership(tx)
      then(true)
    })
  }

  /** A sequence shows before the commit, and is not undone. */
  #moveMembership(tx: ServerTransaction): void {
    tx.tables.next('change', this.#world.time)
  }

  #renewal(
    tx: ServerTransaction,
    stamp: number | undefined,
    before: number | undefined,
    oldest: { id: string; stamp: number }[],
  ): Renewal {
    const membership = tx.tables.sequences.get('change')?.last ?? 0
    return { stamp, before, membership, oldest, now: this.#line.server.now() }
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
        // The snapshot of the statement; what is said of the partition's own row is looked at again once it is locked.
        const leased = new Set(tx.tables.nodes.keys())
        const wanted = new Map(partitions.map(({ id, epoch }) => [id, epoch]))
        const isFree = (id: number): boolean => {
          const { owner, epoch } = rows.get(id) ?? { owner: '', epoch: -1 }
          const is_free = owner === null || owner === node || !leased.has(owner)
          return epoch === wanted.get(id) && is_free
        }
        this.#takeAll(tx, node, [...wanted.keys()].filter(isFree), isFree)
      },
      { what: this.#world.is_traced ? `takes for ${node}` : undefined },
    )
  }

  async seize(node: string, partitions: readonly number[]): Promise<Map<number, number>> {
    if (partitions.length === 0) return new Map()
    return this.#line.call('pool', true, (tx) => {
      const there = partitions.filter((id) => tx.tables.partitions.has(id))
      this.#takeAll(tx, node, there, () => true)
    })
  }

  #takeAll(tx: ServerTransaction, node: string, ids: number[], isFree: (id: number) => boolean): void {
    const rows = ids.sort((a, b) => a - b).map((id) => `partition ${id}`)
    const { partitions } = tx.tables
    tx.lock(rows, 'update', () => {
      const taken = new Map<number, number>()
      for (const id of ids) {
        if (!isFree(id)) continue
        const epoch = partitions.get(id)!.epoch + 1 + this.#world.whole(0, MOST_EPOCHS - 1)
        tx.set(partitions, id, { owner: node, epoch })
        taken.set(id, epoch)
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
      run: (lock_ms) => this.#line.call('commit', true, (tx) => this.#commit(tx, commit), { lock_ms, history, what }),
    }
  }

  #commit(tx: ServerTransaction, commit: Commit): void {
    const { source, commits, fences, settle, fired, timers, states, sent, dead } = commit
    const { tables } = tx
    const { refuses } = this.#line.server
    if (refuses) {
      tx.fail(refuses)
      return
    }
    const partitions = fences.map(({ partition }) => partition).sort((a, b) => a - b)
    const isHeld = ({ partition, epoch }: { partition: number; epoch: number }) =>
      tables.partitions.get(partition)?.epoch === epoch
    const lane = () => tables.lanes.get(source)
    const outbox = settle.map((row) => outboxKey(row.partition, row.source, row.number))
    const fires = fired.map(({ address, name }) => timerKey(address, name))
    const isSet = (index: number) => tables.timers.get(fires[index]!)?.due === fired[index]!.due

    const fence = () => {
      if (!fences.every(isHeld)) tx.fail('PL002')
      else if (lane()?.commits !== commits - 1) tx.fail('PL003')
      else tx.lock([`lane ${source}`], 'update', raise)
    }
    const raise = () => {
      const row = lane()
      if (row?.commits !== commits - 1) {
        tx.fail('PL003')
        return
      }
      tx.set(tables.lanes, source, { ...row, commits })
      const there = outbox.filter((key) => tables.outbox.has(key))
      tx.lock(
        there.map((key) => `outbox ${key}`),
        'update',
        settleAll,
      )
    }
    const settleAll = () => {
      if (new Set(outbox).size < outbox.length || !outbox.every((key) => tables.outbox.has(key))) {
        tx.fail('PL001')
        return
      }
      for (const key of outbox) tx.set(tables.outbox, key, undefined)
      const there = fires.filter((_, index) => isSet(index))
      tx.lock(
        there.map((key) => `timer ${key}`),
        'update',
        fireAll,
      )
    }
    const fireAll = () => {
      if (new Set(fires).size < fires.length || !fires.every((_, index) => isSet(index))) {
        tx.fail('PL001')
        return
      }
      for (const key of fires) tx.set(tables.timers, key, undefined)
      const changed = timers.map(({ address, name }) => timerKey(address, name))
      tx.lock(
        changed.map((key) => `timer ${key}`),
        'update',
        changeTimers,
      )
    }
    const changeTimers = () => {
      for (const { address, partition, name, due, json } of timers) {
        const row = json === null ? undefined : { partition, address, name, due, json }
        tx.set(tables.timers, timerKey(address, name), row)
      }
      tx.lock(
        states.map(({ address }) => `state ${address}`),
        'update',
        save,
      )
    }
    const save = () => {
      for (const { address, json } of states) tx.set(tables.states, address, json)
      const keys = new Set<string>()
      for (const { partition, number, address, sender, json } of sent) {
        const key = outboxKey(partition, source, number)
        if (tables.outbox.has(key) || keys.has(key)) {
          tx.fail('23505')
          return
        }
        keys.add(key)
        tx.set(tables.outbox, key, { partition, source, number, address, sender, json })
      }
      for (const { address, json, error } of dead) {
        tx.set(tables.dead, tables.next('dead', this.#world.time), { address, json, error })
      }
      tx.commit(undefined)
    }
    // Those of another epoch are not locked.
    const held = fences.filter(isHeld).map(({ partition }) => partition)
    tx.lock(
      partitions.filter((id) => held.includes(id)).map((id) => `partition ${id}`),
      'share',
      fence,
    )
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
    return this.#line.call('pool', false, (tx) => tx.commit(tx.tables.lanes.get(source)?.commits))
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

  countOutbox(floors: readonly { partition: number; source: number }[], limit: number): Promise<Map<number, number>> {
    return this.#line.call('pool', false, (tx) => {
      const rows = [...tx.tables.outbox.values()]
      const count = (partition: number, floor: number) =>
        rows.filter((row) => row.partition === partition && row.source >= floor).length
      const counts = floors.map(
        ({ partition, source }) => [partition, Math.min(count(partition, source), limit)] as const,
      )
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

  readTimers(partitions: readonly number[], until: number, limit_each: number): Promise<StoredTimer[]> {
    return this.#line.call('pool', false, (tx) => {
      const rows = partitions.flatMap((partition) => {
        const near: StoredTimer[] = []
        for (const { due, json, ...row } of tx.tables.timers.values()) {
          if (row.partition === partition && due !== null && due <= until)
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

function describe({ source, commits, fences, settle, fired, timers, states, sent }: Commit): string {
  return `commits ${JSON.stringify({
    lane: `${source}:${commits}`,
    epochs: Object.fromEntries(fences.map(({ partition, epoch }) => [partition, epoch])),
    settles: settle.map((one) => Object.values(one).join(' ')),
    fired: fired.map(({ address, name }) => timerKey(address, name)),
    timers: timers.map(({ address, name, due }) => `${timerKey(address, name)} ${due}`),
    saves: Object.fromEntries(states.map(({ address, json }) => [address, JSON.parse(json)])),
    sends: sent.map(({ partition, number, json }) => `${partition} ${source} ${number} ${json}`),
  })}`
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

function oldestNodes(tx: ServerTransaction, floor: number): { id: string; stamp: number }[] {
  const all = [...tx.tables.nodes].map(([id, { stamp }]) => ({ id, stamp }))
  return all.filter(({ stamp }) => stamp >= floor).sort((a, b) => a.stamp - b.stamp)
}

/** What a node has waiting is no change of membership. */
function isSame({ backlog: _, ...one }: NodeFacts, { backlog: __, ...other }: NodeFacts): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
