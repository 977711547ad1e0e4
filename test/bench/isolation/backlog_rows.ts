/**
 * The cost of one subscription's backlog, whose receiver takes eight a second, for the fresh deliveries of the others
 * and for the memory of the node. Sizes follow each other on one node; `peak MiB` of the host is the resident memory at
 * the end.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark, Options } from '../benchmark.ts'
import { compare, type Row } from '../compare.ts'
import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { type Goal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { startWorld, type World } from './world.ts'

const SIZES = [0, 1_000, 10_000, 100_000, 1_000_000]
const SUMMARY = 'fresh deliveries of 1000 subscriptions while another one has a backlog'
const SCENARIO = '200 events/s, by pending deliveries of another subscription'
const LOAD = { name: SCENARIO, rate: 200, keys: 0 }
const name = (size: number) => `${size.toLocaleString('en-GB')} pending`

/** The benchmark `backlog`. */
export const backlog: Benchmark = { id: 'backlog', summary: SUMMARY, run }

async function run(options: Options): Promise<Report> {
  const { rounds, seconds } = options
  const directory = join(options.directory, 'backlog')
  mkdirSync(directory, { recursive: true })
  const not_run: Record<string, string> = {}
  const rows: Row[] = []
  const world = await startWorld(directory)
  try {
    let stored = 0
    for (const size of SIZES) {
      process.stderr.write(`backlog, ${size} pending `)
      if (size > stored) await world.host.call('backlog', size - stored)
      stored = size
      const rhythm = { rounds, warm_up: seconds, settle_ms: 300 }
      const fallen = (_: Peer, reason: string) => {
        not_run[name(size)] = reason
      }
      const [row] = await compare([peerOf(world, size)], { ...LOAD, seconds }, rhythm, fallen)
      if (!row) continue
      row.peak_mib = { ...row.peak_mib, host: await world.host.call<number>('memory') }
      rows.push(row)
    }
  } finally {
    await world.stop()
  }
  const verdicts = [latency(1.5), memory(50)].map((goal) => judge(goal, rows))
  const machine = describeMachine(options.directory)
  return { id: 'backlog', summary: SUMMARY, machine, rounds, seconds, rows, verdicts, not_run }
}

function peerOf(world: World, size: number): Peer {
  return {
    name: name(size),
    start: async () => {},
    run: (load: Load) => world.load.call<Sample>('run', load),
    processes: world.processes,
    stop: async () => {},
  }
}

/** The largest backlog compared with none, round by round. */
function latency(value: number): Goal {
  const measure = (rows: Row[]) => {
    const [none, most] = [rows[0], rows.at(-1)]
    if (rows.length !== SIZES.length) return undefined
    return most!.rounds.map(({ p50_ms }, round) => p50_ms / none!.rounds[round]!.p50_ms)
  }
  return { scenario: SCENARIO, text: `p50 at most ${value} × without`, bound: 'at most', value, measure }
}

function memory(value: number): Goal {
  const measure = (rows: Row[]) => {
    if (rows.length !== SIZES.length) return undefined
    return [rows.at(-1)!.peak_mib.host! - rows[0]!.peak_mib.host!]
  }
  return { scenario: SCENARIO, text: `at most ${value} MiB more than without`, bound: 'at most', value, measure }
}
