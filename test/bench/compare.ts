/**
 * Runs peers against each other. All are started, each is warmed up, and then they take turns round by round, with the
 * first place rotating, so that a noisy moment of the machine hits them alike. Ratios are taken within a round.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Load, Sample } from './load/loop.ts'
import type { Peer } from './peer.ts'
import { cpuSeconds, machineSeconds, peakMebibytes } from './report/usage.ts'

/** A load with the name it has in tables and goals. */
export type Scenario = Load & { name: string }

/** All rounds of one peer in one scenario. CPU is seconds per 1000 operations by process, one entry a round. */
export type Row = {
  scenario: string
  peer: string
  rounds: Sample[]
  cpu: Record<string, number>[]
  /** Share of the machine's CPU that processes outside this peer took, one entry a round, 0 to 1. */
  noise: number[]
  peak_mib: Record<string, number>
  problems: string[]
}

/** The length of the measurement: `seconds` a round, after `warm_up` seconds once per peer and scenario. */
export type Rhythm = { rounds: number; warm_up: number; settle_ms: number }

/** Measures the peers in one scenario. A peer that fails leaves the comparison, and `fallen` gets the reason. */
export async function compare(
  peers: Peer[],
  scenario: Scenario,
  rhythm: Rhythm,
  fallen: (peer: Peer, reason: string) => void,
): Promise<Row[]> {
  const running = [...peers]
  const attempt = async (peer: Peer, work: Promise<unknown>) => {
    try {
      await work
    } catch (error) {
      running.splice(running.indexOf(peer), 1)
      fallen(peer, `${scenario.name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  const rows = new Map<Peer, Row>()
  for (const peer of peers) {
    rows.set(peer, {
      scenario: scenario.name,
      peer: peer.name,
      rounds: [],
      cpu: [],
      noise: [],
      peak_mib: {},
      problems: [],
    })
    await attempt(
      peer,
      awake(peer, () => peer.run({ ...scenario, seconds: rhythm.warm_up })),
    )
  }
  for (let round = 0; round < rhythm.rounds; round++) {
    for (const peer of turns(running, round)) {
      await pause(rhythm.settle_ms)
      await attempt(
        peer,
        awake(peer, () => measure(peer, scenario, rows.get(peer)!)),
      )
      process.stderr.write('.')
    }
  }
  process.stderr.write('\n')
  for (const peer of running) rows.get(peer)!.peak_mib = peakMebibytes(peer.processes())
  return running.map((peer) => rows.get(peer)!)
}

async function awake(peer: Peer, work: () => Promise<unknown>): Promise<void> {
  await peer.wake?.()
  try {
    await work()
  } finally {
    await peer.rest?.()
  }
}

function turns(peers: Peer[], round: number): Peer[] {
  const first = peers.length > 0 ? round % peers.length : 0
  return [...peers.slice(first), ...peers.slice(0, first)]
}

async function measure(peer: Peer, load: Load, row: Row): Promise<void> {
  const processes = peer.processes()
  const stored = await peer.stored?.()
  const start = performance.now()
  const busy = machineSeconds()
  const before = cpuSeconds(processes)
  const sample = await peer.run(load)
  const after = cpuSeconds(processes)
  const own = Object.keys(after).reduce((sum, name) => sum + after[name]! - before[name]!, 0)
  const elapsed = (performance.now() - start) / 1000
  row.noise.push(Math.max(0, machineSeconds() - busy - own) / elapsed / availableParallelism())
  row.rounds.push(sample)
  const thousands = sample.issued / 1000
  row.cpu.push(Object.fromEntries(Object.keys(after).map((name) => [name, (after[name]! - before[name]!) / thousands])))
  if (sample.errors > 0) row.problems.push(`${sample.errors} of ${sample.issued} operations failed`)
  if (stored === undefined) return
  const grown = (await peer.stored!()) - stored
  const acknowledged = sample.issued - sample.errors
  if (grown < acknowledged) row.problems.push(`${acknowledged} acknowledged, ${grown} stored`)
}
