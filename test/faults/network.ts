/**
 * Partitions of the network: three nodes, NATS, PostgreSQL and the clients have hosts of their own, and one link after
 * the other is cut, in one direction or both, while everything is in use. After each cut and its healing:
 *
 * - every commit was made by the owner of the epoch it names, and none after a later epoch began (`network_audit.ts`);
 * - no partition was without service for longer than the failover bound, for clients of the nodes that were not cut
 * off;
 * - nothing is lost, doubled, reordered or stuck (`test/e2e/load.ts`), and no acknowledged write is forgotten;
 * - all three nodes are ready again and share the partitions.
 */
import { partitionOf } from '../../runtime/mod.ts'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { eventually, sleep, startClient } from '../e2e/client.ts'
import { makeTenant, type Outside, outside, startSimulatorFor, type Tenant } from '../e2e/fixture.ts'
import { HistoryChecker } from '../e2e/history_checker.ts'
import { prepareLoad, runLoad } from '../e2e/load.ts'
import { startSink } from '../e2e/sink.ts'
import type { Owner } from '../support/mod.ts'
import { between, type Chance, chance, shuffled } from './chance.ts'
import { audit, installAudit } from './network_audit.ts'
import { type Front, startTestServer } from './network_front.ts'
import { type Hosts, NATS, NODES, PARTITIONS, POSTGRES, startHosts } from './network_hosts.ts'
import { type Probes, startProbes } from './network_probe.ts'
import { missingForSpace, OUTSIDE } from './network_space.ts'

export type PartitionOptions = { rounds: number; seed: number; log: (line: string) => void }

export type PartitionResult = {
  rounds: number
  /** The broken rules, one sentence each. */
  faults: string[]
  /**
   * The longest time a partition was without service in any round, and the longest until all was even again
   * (milliseconds).
   */
  worst_gap_ms: number
  worst_recovery_ms: number
  sends: number
  inbound: number
  commits: number
}

/** Milliseconds in which a partition is served again after its owner was cut off. */
const FAILOVER_MS = 5000
/** Milliseconds in which all nodes are ready and even again after a link was healed. */
const RECOVERY_MS = 30_000
/** Longer than a message in doubt waits for its proof, 30 s. */
const SETTLED_MS = 75_000
/** Enough tenants for each node to have a channel and a project of some. */
const TENANTS = 8
const DIRECTIONS = ['out', 'in', 'both'] as const

type Cut = { node: string; peer: string; direction: (typeof DIRECTIONS)[number]; ms: number }

/** Runs the rounds. Throws when this machine cannot make networks; faults of a round are in the result. */
export async function runPartitions({ rounds, seed, log }: PartitionOptions): Promise<PartitionResult> {
  const missing = missingForSpace()
  if (missing) throw new Error(`Network partitions cannot be tried here. ${missing}`)
  const undo: (() => unknown)[] = []
  const owner: Owner = { teardown: (one) => undo.push(one) }
  const result: PartitionResult = {
    rounds: 0,
    faults: [],
    worst_gap_ms: 0,
    worst_recovery_ms: 0,
    sends: 0,
    inbound: 0,
    commits: 0,
  }
  try {
    const world = await startEverything(owner)
    log(`network partitions: ${rounds} rounds, seed ${seed}, logs of the nodes in ${world.hosts.logs}`)
    const cuts = deck(chance(seed))
    for (let n = 1; n <= rounds; n++) {
      const cut = cuts.next().value
      await playRound(n, world, cut, result, (line) => log(`round ${n}: ${line}`))
      result.rounds++
    }
    await world.probes.stop()
  } finally {
    for (const one of undo.reverse()) await one()
  }
  return result
}

/** A tenant whose messages are watched. */
type Place = { tenant: Tenant; history_checker: HistoryChecker }

type Everything = {
  hosts: Hosts
  front: Front
  probes: Probes
  world: Outside
  places: Place[]
  database: Database
}

async function startEverything(t: Owner): Promise<Everything> {
  const hosts = await startHosts(t, installAudit)
  const here = hosts.space.address(OUTSIDE)
  const http = startClient(t)
  const front = await startTestServer(t, hosts.urls)
  const simulator = await startSimulatorFor(t, { host: here, latency_ms: 5 })
  const sink = await startSink(t, here)
  const world = { ...outside(http, front.url, simulator.url), sink }
  const database = await openDatabase({ url: hosts.database_url, pool_size: 1 })
  t.teardown(() => database.close())
  await eventually('the nodes share the partitions', () => isEven({ front, database }), RECOVERY_MS)
  const places: Place[] = []
  while (places.length < TENANTS) {
    const tenant = await makeTenant(world)
    await prepareLoad(tenant)
    places.push({ tenant, history_checker: new HistoryChecker(world, tenant, database) })
  }
  for (const { history_checker } of places) await history_checker.overlook()
  const probes = await startProbes(world)
  return { hosts, front, probes, world, places, database }
}

/** Returns the places that a cut strikes: one whose channel is on the node, and one whose project is. */
async function struck({ hosts, world, places, database }: Everything, node: string): Promise<Place[]> {
  const { body } = await world.operator('GET', 'cluster')
  const id = body.nodes.find(({ pid }: { pid: number }) => pid === hosts.pids[node])?.id
  const rows = await database.execute<{ id: number }>('select id from partition where owner = ?', [id])
  const owned = new Set(rows.map((row) => row.id))
  const first = (address: (tenant: Tenant) => string) =>
    places.find(({ tenant }) => owned.has(partitionOf(address(tenant), PARTITIONS))) ?? places[0]!
  const channel = first(({ number }) => `channel/${number.channel_id}`)
  const project = first(({ project_id }) => `project/${project_id}`)
  return [...new Set([channel, project])]
}

async function playRound(
  n: number,
  everything: Everything,
  cut: Cut,
  result: PartitionResult,
  log: (line: string) => void,
): Promise<void> {
  const { hosts, front, probes, database } = everything
  const faults: string[] = []
  const { node, peer, direction, ms } = cut
  const what = `${node} ${{ out: '→', in: '←', both: '↔' }[direction]} ${peer} for ${(ms / 1000).toFixed(1)} s`
  const all = Object.values(hosts.urls)
  probes.use(all)
  const loads = (await struck(everything, node)).map(({ tenant, history_checker }) => ({
    history_checker,
    load: runLoad(tenant, { name: `round ${n}`, recipients: 4, writers: 1, pause_ms: 50 }),
  }))
  await sleep(1000)
  probes.worst()

  const links =
    direction === 'out'
      ? [[node, peer]]
      : direction === 'in'
        ? [[peer, node]]
        : [
            [node, peer],
            [peer, node],
          ]
  const others = Object.entries(hosts.urls).flatMap(([name, url]) => (name === node ? [] : [url]))
  probes.use(others)
  for (const [from, to] of links) await hosts.space.cut(from!, to!)
  await sleep(ms)
  for (const [from, to] of links) await hosts.space.heal(from!, to!)
  const healed_at = Date.now()
  const even = await eventually('even', () => isEven({ front, database }), RECOVERY_MS).catch(() => false)
  const recovery_ms = Date.now() - healed_at
  if (!even) faults.push(`not all nodes are ready and even ${RECOVERY_MS / 1000} s after the link was healed`)
  probes.use(all)
  await sleep(1000)
  const { gap_ms, partition } = probes.worst()
  if (gap_ms > FAILOVER_MS) faults.push(`partition ${partition} was not served for ${gap_ms} ms`)

  await Promise.all(loads.map(({ load }) => load.stop()))
  await probes.pause()
  faults.push(...(await probes.lost()))
  for (const { load, history_checker } of loads) {
    for (const { kind, what } of await history_checker.findings(load, { patience_ms: SETTLED_MS }))
      faults.push(`${kind}: ${what}`)
  }
  const audited = await audit(database)
  faults.push(...audited.faults)

  result.worst_gap_ms = Math.max(result.worst_gap_ms, gap_ms)
  result.worst_recovery_ms = Math.max(result.worst_recovery_ms, recovery_ms)
  const sends = loads.reduce((sum, { load }) => sum + load.sends.length, 0)
  const inbound = loads.reduce((sum, { load }) => sum + load.inbound.length, 0)
  result.sends += sends
  result.inbound += inbound
  result.commits += audited.commits
  result.faults.push(...faults.map((fault) => `${what}: ${fault}`))
  const figures = `gap ${gap_ms} ms, even after ${recovery_ms} ms, ${sends} sends, ${inbound} inbound, ${audited.commits} commits`
  log(`${faults.length === 0 ? 'ok' : 'FAILED'}  ${what}; ${figures}`)
  for (const fault of faults) log(`  ${fault}`)
}

/** Returns true when every node is ready and has its share. */
async function isEven({ front, database }: Pick<Everything, 'front' | 'database'>): Promise<boolean> {
  if (front.ready().length < NODES.length) return false
  const shares = await database.execute<{ count: number }>(
    'select count(*)::int as count from partition where owner is not null group by owner',
  )
  return shares.length === NODES.length && shares.every(({ count }) => count === PARTITIONS / NODES.length)
}

/**
 * Deals each link of each node in each direction, in random order, for 1 to 15 seconds; then again in another order.
 */
function* deck(random: Chance): Generator<Cut, never> {
  const all = NODES.flatMap((node) =>
    [NATS, POSTGRES, OUTSIDE].flatMap((peer) => DIRECTIONS.map((direction) => ({ node, peer, direction }))),
  )
  for (;;) for (const cut of shuffled(random, all)) yield { ...cut, ms: between(random, 1000, 15_000) }
}
