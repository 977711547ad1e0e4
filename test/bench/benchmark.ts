/**
 * A benchmark of peers under load. It starts the peers that can be started, measures every scenario, judges the goals
 * and stops everything.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { compare, type Row, type Scenario } from './compare.ts'
import type { Load } from './load/loop.ts'
import type { Peer } from './peer.ts'
import { type Goal, judge } from './report/goal.ts'
import { describeMachine } from './report/machine.ts'
import type { Report } from './report/report.ts'

/** The options of the command line. `peers` and `scenarios` keep only names that contain one of the words. */
export type Options = {
  rounds: number
  seconds: number
  directory: string
  /** Adds a run of our peer on a nats-server that syncs every acknowledged publish. */
  sync_always?: boolean
  peers?: string[]
  scenarios?: string[]
}

/**
 * The parts of a benchmark. Its servers live as long as all its scenarios run. Only the peers that a scenario names run
 * it.
 */
export type Plan = {
  peers: Peer[]
  scenarios: (Omit<Load, 'seconds'> & { name: string; peers?: string[] })[]
  goals: Goal[]
}

/** A benchmark the command knows. */
export type Benchmark = { id: string; summary: string; run(options: Options): Promise<Report> }

/** Makes a benchmark of a plan. */
export function benchmark(id: string, summary: string, plan: (options: Options) => Plan): Benchmark {
  return { id, summary, run: (options) => runPlan(id, summary, plan(options), options) }
}

async function runPlan(id: string, summary: string, plan: Plan, options: Options): Promise<Report> {
  const { rounds, seconds } = options
  const not_run: Record<string, string> = {}
  const started: Peer[] = []
  const rows: Row[] = []
  const machine = describeMachine(options.directory)
  try {
    for (const peer of plan.peers.filter(({ name }) => wanted(name, options.peers))) {
      const failure = await tryStart(peer, join(options.directory, id, peer.name))
      if (failure === undefined) started.push(peer)
      else not_run[peer.name] = failure
    }
    for (const { peers, ...scenario } of plan.scenarios.filter(({ name }) => wanted(name, options.scenarios))) {
      const load: Scenario = { ...scenario, seconds }
      process.stderr.write(`${id}, ${scenario.name} `)
      const rhythm = { rounds, warm_up: Math.min(3, seconds), settle_ms: 300 }
      const able = started.filter(({ name }) => not_run[name] === undefined && (peers?.includes(name) ?? true))
      const fallen = ({ name }: Peer, reason: string) => {
        not_run[name] = reason
      }
      rows.push(...(await compare(able, load, rhythm, fallen)))
    }
  } finally {
    for (const peer of started.reverse()) await peer.stop()
  }
  const measured = plan.goals.filter(({ scenario }) => wanted(scenario, options.scenarios))
  return { id, summary, machine, rounds, seconds, rows, verdicts: measured.map((goal) => judge(goal, rows)), not_run }
}

async function tryStart(peer: Peer, directory: string): Promise<string | undefined> {
  process.stderr.write(`starting ${peer.name}\n`)
  mkdirSync(directory, { recursive: true })
  try {
    await peer.start(directory)
    return undefined
  } catch (error) {
    await peer.stop()
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns true when a name contains one of the words, and always without words. */
export function wanted(name: string, words: string[] | undefined): boolean {
  return words === undefined || words.some((word) => name.includes(word))
}
