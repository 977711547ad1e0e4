/** One history: nodes, work and faults, all drawn from a seed; then quiet, and a verdict. */
import { check, checkNeighbours, leftToDo } from './checker.ts'
import { SimulatedCluster } from './cluster.ts'
import { faults, harmless } from './faults.ts'
import { Workload } from './workload.ts'
import { World } from './world.ts'

export type Verdict = {
  seed: number
  faults: string[]
  findings: string[]
  /** A value that is the same for the same seed. */
  hash: string
  events: number
  operations: number
  /** Messages given to receivers before the sender's commit, those of them without a row, and turns undone with them. */
  early: { given: number; fused: number; retracted: number }
  /** The virtual time of the whole history, and from the end of the faults to quiet. */
  ms: number
  quiet_ms: number
  lines: string[]
}

const BEGIN_MS = 1500
const FAULTS_FROM_MS = 2500
const FAULTS_TO_MS = 18_000
/** Time at which everything is mended, except stand-stills that began within a turn. */
const MENDED_MS = 24_000
const MAX_MS = 12_000
/** Milliseconds after the last fault in which work may be left. */
const PATIENCE_MS = 90_000
const LOOK_MS = 250
/** Longer than a watcher takes to know of a commit, also one that no node answered at first. */
const HEARD_MS = 2600

/** Runs a history. `only` names the faults to draw from. */
export async function runHistory(
  seed: number,
  { only = Object.keys(faults), is_traced = false }: { only?: readonly string[]; is_traced?: boolean } = {},
): Promise<Verdict> {
  const world = new World(seed, is_traced)
  const among = [...only]
  const kinds = Array.from({ length: world.whole(1, 4) }, () => world.pick(among))
  const keeps = kinds.some((kind) => kind.startsWith('lost-commits'))
  const cluster = new SimulatedCluster(world, { keeps, drifts: world.happens(0.3) })
  const { server, network } = cluster
  const count = world.whole(2, 4)
  const spread_ms = world.pick([2, 20, 500])
  for (let i = 0; i < count; i++) world.at(world.between(0, spread_ms), () => void cluster.add())
  const workload = new Workload(cluster)
  workload.plan(BEGIN_MS, MENDED_MS)
  cluster.watchers.plan(BEGIN_MS, MENDED_MS)
  const strikes = kinds.flatMap((kind) => Array.from({ length: world.whole(1, 3) }, () => kind))
  let last = 0
  for (const kind of strikes) {
    const from = world.between(FAULTS_FROM_MS, FAULTS_TO_MS)
    const until = Math.min(from + world.between(200, MAX_MS), MENDED_MS)
    last = Math.max(last, until)
    world.at(from, () => {
      if (is_traced) world.say('FAULT', `${kind} for ${Math.round(until - from)} ms`)
      const mend = faults[kind]!(cluster, until - from, until)
      world.at(until, () => {
        if (is_traced) world.say('FAULT', `${kind} is over`)
        mend?.()
      })
    })
  }
  await world.run(() => cluster.findings.size > 0, MENDED_MS)
  if (cluster.living.length === 0) cluster.add()
  server.is_up = true
  network.start()
  // The history is quiet when nothing is left to do, twice in a row.
  let quiet = 0
  let is_asked = false
  let left: string[] = []
  const look = () => {
    left = workload.isOver ? leftToDo(cluster) : ['answers']
    quiet = left.length > 0 ? 0 : quiet + 1
    if (quiet === 2 && !is_asked) {
      is_asked = true
      quiet = 0
      workload.askAll()
    }
    world.at(world.time + LOOK_MS, look)
  }
  world.at(world.time + LOOK_MS, look)
  const end = MENDED_MS + PATIENCE_MS
  await world.run(() => quiet >= 2 || cluster.findings.size > 0 || world.time >= end)
  const quiet_ms = world.time - MENDED_MS
  // Work that a node still had in memory may be committed now.
  const stored = () => [...server.tables.states].join()
  for (let before = ''; cluster.findings.size === 0 && quiet >= 2 && before !== stored(); ) {
    before = stored()
    await world.run(() => cluster.findings.size > 0, world.time + HEARD_MS)
    // It may have brought work again, and a timer may be due at this very moment.
    if (leftToDo(cluster).length > 0) quiet = 0
    await world.run(() => quiet >= 2 || cluster.findings.size > 0 || world.time >= end)
  }
  if (cluster.findings.size === 0) {
    if (quiet < 2) cluster.find(`stuck: ${left.slice(0, 5).join('; ')}`)
    else check(cluster, workload.operations)
    if (kinds.every((kind) => kind === 'locked-state')) checkNeighbours(cluster, workload.operations)
    const is_harmless = kinds.every((kind) => harmless.includes(kind))
    if (is_harmless && server.leases_ended > 0)
      cluster.find(`needless: ${server.leases_ended} leases were ended by others`)
  }
  return {
    seed,
    faults: strikes,
    findings: [...cluster.findings],
    hash: world.hash,
    events: world.events,
    operations: workload.operations.length,
    early: cluster.early,
    ms: world.time,
    quiet_ms,
    lines: world.lines,
  }
}
