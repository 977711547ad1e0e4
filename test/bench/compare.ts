/**
 * Runs peers against each other: all are started, each is warmed up, then they take turns round by round, the first
 * place rotating, so that a noisy moment of the machine hits them alike. Ratios are taken within a round.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Load, Sample } from './load/loop.ts'
import type { Peer } from './peer.ts'
import { cpuSeconds, peakMebibytes } from './report/usage.ts'

/** A load with the name it has in tables and goals. */
export type Scenario = Load & { name: string }

/** All rounds of one peer in one scenario. CPU is seconds per 1000 operations by process, one entry a round. */
export type Row = {
  scenario: string
  peer: string
  rounds: Sample[]
  cpu: Record<string, number>[]
  peak_mib: Record<string, number>
  problems: string[]
}

/** How long to measure: `seconds` a round, after `warm_up` seconds once per peer and scenario. */
export type Rhythm = { rounds: number; warm_up: number; settle_ms: number }

/** Measures the peers in one scenario. */
export async function compare(peers: Peer[], scenario: Scenario, rhythm: Rhythm): Promise<Row[]> {
  const rows = new Map<Peer, Row>()
  for (const peer of peers) {
    rows.set(peer, { scenario: scenario.name, peer: peer.name, rounds: [], cpu: [], peak_mib: {}, problems: [] })
    await peer.run({ ...scenario, seconds: rhythm.warm_up })
  }
  for (let round = 0; round < rhythm.rounds; round++) {
    for (let turn = 0; turn < peers.length; turn++) {
      const peer = peers[(round + turn) % peers.length]
      const row = peer && rows.get(peer)
      if (!row) continue
      await pause(rhythm.settle_ms)
      await measure(peer, scenario, row)
      process.stderr.write('.')
    }
  }
  for (const [peer, row] of rows) row.peak_mib = peakMebibytes(peer.processes())
  process.stderr.write('\n')
  return [...rows.values()]
}

async function measure(peer: Peer, load: Load, row: Row): Promise<void> {
  const processes = peer.processes()
  const stored = await peer.stored?.()
  const before = cpuSeconds(processes)
  const sample = await peer.run(load)
  const after = cpuSeconds(processes)
  row.rounds.push(sample)
  const thousands = sample.issued / 1000
  row.cpu.push(Object.fromEntries(Object.keys(after).map((name) => [name, (after[name]! - before[name]!) / thousands])))
  if (sample.errors > 0) row.problems.push(`${sample.errors} of ${sample.issued} operations failed`)
  if (stored === undefined) return
  const grown = (await peer.stored!()) - stored
  const acknowledged = sample.issued - sample.errors
  if (grown < acknowledged) row.problems.push(`${acknowledged} acknowledged, ${grown} stored`)
}
