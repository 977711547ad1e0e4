/** Nodes that share a process, some connections to one PostgreSQL and a broker. */

import { PostgresStore } from '../../runtime/commit/postgres_store.ts'
import type { Log } from '../../runtime/log.ts'
import { type Database, openDatabase, sql } from '../../storage/mod.ts'
import { Calls, CountedStore } from './counted_store.ts'
import { SlowTime } from './fake_clock.ts'
import { FakeNode } from './fake_node.ts'
import { LocalBroker } from './local_broker.ts'
import { Ownership } from './ownership.ts'

/** Connections of a database: one for renewals, the others for everything else. A lane's connection is never opened. */
const CONNECTIONS = 5
/** The number of nodes that start at once. More start when these are through. */
const STARTING = 100

export type FleetOptions = {
  url: string
  partitions: number
  /** The number of connections for the renewals of all nodes. */
  databases: number
  /** The factor by which time passes slower than the machine's. */
  slowness: number
}

export class Fleet {
  readonly time: SlowTime
  readonly calls = new Calls()
  readonly broker = new LocalBroker()
  readonly ownership: Ownership
  /** The log entries of all nodes, counted by text. */
  readonly said = new Map<string, number>()
  readonly nodes = new Set<FakeNode>()
  readonly partitions: number
  readonly #databases: Database[]
  readonly #log: Log
  #made = 0

  private constructor(databases: Database[], { partitions, slowness }: FleetOptions) {
    this.time = new SlowTime(slowness)
    this.ownership = new Ownership(partitions, () => this.time.now())
    this.partitions = partitions
    this.#databases = databases
    const note = (fields: object, text: string) => {
      const key = 'error' in fields ? `${text}: ${fields.error}` : text
      this.said.set(key, (this.said.get(key) ?? 0) + 1)
    }
    this.#log = { debug: note, info: note, warn: note, error: note }
  }

  static async open(options: FleetOptions): Promise<Fleet> {
    const open = () => openDatabase({ url: options.url, pool_size: CONNECTIONS, connect_timeout_ms: 30_000 })
    const databases: Database[] = []
    while (databases.length < options.databases) databases.push(await open())
    await new PostgresStore(databases[0]!).layOut(options.partitions)
    await Promise.all(databases.map(warmUp))
    return new Fleet(databases, options)
  }

  get database(): Database {
    return this.#databases[0]!
  }

  /** Starts `count` nodes. Resolves when each has joined. */
  async start(count: number): Promise<FakeNode[]> {
    const started: FakeNode[] = []
    const lane = async () => {
      while (started.length < count) {
        const node = this.#make()
        started.push(node)
        await node.start()
      }
    }
    await Promise.all(Array.from({ length: Math.min(STARTING, count) }, lane))
    return started
  }

  #make(): FakeNode {
    const { time, broker, ownership } = this
    const database = this.#databases[this.#made++ % this.#databases.length]!
    const store = new CountedStore(database, this.calls, time)
    const node = new FakeNode({ store, broker, time, ownership, log: this.#log })
    this.nodes.add(node)
    return node
  }

  kill(node: FakeNode): void {
    this.nodes.delete(node)
    node.kill()
  }

  async leave(node: FakeNode): Promise<void> {
    await node.leave()
    this.nodes.delete(node)
  }

  /** Returns the nodes that hold partitions, with the largest holder first. */
  owners(): FakeNode[] {
    return [...this.nodes].filter(({ held }) => held > 0).sort((a, b) => b.held - a.held)
  }

  /** True when all partitions are held, and the holders' numbers of partitions differ by one at most. */
  get isEven(): boolean {
    if (this.ownership.unserved > 0) return false
    const sizes = [...this.nodes].map(({ held }) => held)
    return (
      sizes.reduce((sum, held) => sum + held, 0) === this.partitions && Math.max(...sizes) - Math.min(...sizes) <= 1
    )
  }

  /** Waits until `isTrue` holds. Rejects after `ms` of the nodes' time. Resolves to the time that passed. */
  async until(what: string, isTrue: () => boolean, ms = 120_000): Promise<number> {
    const from = this.time.now()
    while (!isTrue()) {
      if (this.time.now() - from > ms) throw new Error(`not within ${ms} ms: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return this.time.now() - from
  }

  async close(): Promise<void> {
    for (const node of this.nodes) node.kill()
    this.nodes.clear()
    await Promise.all(this.#databases.map((database) => database.close()))
  }
}

/** Opens the connections, because each node has its own before it joins. */
async function warmUp(database: Database): Promise<void> {
  const pool = Array.from({ length: CONNECTIONS - 2 }, () => database.execute('select pg_sleep(0.1)'))
  await Promise.all([...pool, database.ask(sql`select 1`, 30_000)])
}
