/** A node with sleeping actors behind it. It runs the load itself, so that the figures contain nothing but waking. */
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Node } from '../../../runtime/mod.ts'
import { type Database, migrate, openDatabase } from '../../../storage/mod.ts'
import { type Load, runLoad, type Sample } from '../load/loop.ts'
import { offer } from '../servers/remote.ts'
import { sleepers } from './sleepers.ts'

/** `idle_ms` is the time after which an actor leaves memory; `counts` is the number of actors of each kind. */
type HostConfig = { database_url: string; nats_url: string; idle_ms: number; counts: Record<string, number> }

/** The memory of each actor that stays, in bytes. `seconds` is the time to wake all. */
export type Residents = { count: number; heap: number; resident: number; seconds: number }

setFlagsFromString('--expose-gc')
/** Collects garbage as under pressure: it packs the heap and returns pages, which otherwise happens at leisure. */
const collect = () => runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' })

let database: Database
let node: Node
let counts: Record<string, number>
let cursor = 0

offer({
  async start({ database_url, nats_url, idle_ms, counts: given }: HostConfig) {
    counts = given
    database = await openDatabase({ url: database_url })
    await migrate(database)
    const kinds = Object.values(sleepers).map(({ kind }) => kind(database))
    node = await Node.start({ database, nats_url, kinds, idle_ms, cluster: { alone: true } })
  },
  async fill() {
    for (const [sleeper, count] of Object.entries(counts)) await sleepers[sleeper]!.fill(database, count)
  },
  /**
   * Asks a sleeping actor in each operation. The round ends when all sleep again, and its throughput counts to that
   * moment.
   */
  async run(load: Load): Promise<Sample> {
    const { ask } = sleepers[load.variant!]!
    const count = counts[load.variant!]!
    const { loads, passivated } = node.stats().scheduler
    const from = performance.now()
    const sample = await runLoad((_, done) => void ask(node, cursor++ % count).then(done, () => done(false)), load)
    while (node.stats().resident > 0) await pause(20)
    const seconds = (performance.now() - from) / 1000
    const after = node.stats().scheduler
    const cycles = Math.min(after.loads - loads, after.passivated - passivated, sample.issued - sample.errors)
    return { ...sample, operations: cycles, errors: sample.issued - cycles, seconds }
  },
  /**
   * Wakes all actors, 512 at a time, and weighs them. Only right in a fresh process: freed memory is not given back.
   */
  async weigh(variant: string): Promise<Residents> {
    const { ask } = sleepers[variant]!
    const count = counts[variant]!
    const before = await weight()
    const from = performance.now()
    let next = 0
    const slot = async () => {
      while (next < count) if (!(await ask(node, next++))) throw new Error('a sleeper gave a wrong answer')
    }
    await Promise.all(Array.from({ length: 512 }, slot))
    const seconds = (performance.now() - from) / 1000
    // The pause lets writes that are still due and the buffers of the last queries go.
    await pause(2500)
    const after = await weight()
    const resident = node.stats().resident
    if (resident !== count) throw new Error(`${resident} of ${count} are in memory`)
    return { count, heap: (after.heap - before.heap) / count, resident: (after.rss - before.rss) / count, seconds }
  },
})

async function weight(): Promise<{ heap: number; rss: number }> {
  for (let times = 0; times < 3; times++) {
    collect()
    await pause(100)
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}
