/**
 * One node of three is killed, one leaves and one joins, all under an open load on the two others. The benchmark
 * measures what callers notice: the longest wait, and the time until all was well again.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Benchmark, type Options, wanted } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import type { Sample } from '../load/loop.ts'
import { quantile } from '../report/figures.ts'
import { figureGoal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { cpuSeconds, peakMebibytes } from '../report/usage.ts'
import { type Provider, startProvider } from '../send/provider.ts'
import { Cluster } from '../servers/cluster.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import type { LoadConfig, Request } from './load_host.ts'

const SUMMARY = 'what callers notice when one of three nodes is killed, leaves, or joins'
const KILL = 'kill -9 of a node'
const LEAVE = 'graceful leave of a node'
const JOIN = 'a node joins'

const NODES = 3
const PROJECTS = 128
const RATE = 120
/**
 * Milliseconds under load: before the change, after nobody waits long any more; and after it, when all partitions are
 * owned again.
 */
const BEFORE_MS = 1500
const AFTER_MS = 1500
const CALM_MS = 15_000
/**
 * Milliseconds. A request that waits longer was affected, or met a noisy moment of the machine; it counts either way.
 */
const AFFECTED_MS = 100

const BACK = 's until the last affected request was answered'
const WAIT = 'ms the longest wait of a caller'
const USUAL = 'ms the longest wait before it happened'
const AFFECTED = 'requests affected'
const REFUSED = 'answers other than 2xx, asked again'

const GOALS = [
  figureGoal(KILL, 'parley', BACK, 5),
  figureGoal(LEAVE, 'parley', WAIT, 250),
  figureGoal(JOIN, 'parley', WAIT, 250),
]

type World = { cluster: Cluster; load: Remote; provider: Provider }

/** The benchmark `failover`; `--seconds` does not apply. */
export const failover: Benchmark = { id: 'failover', summary: SUMMARY, run }

async function run(options: Options): Promise<Report> {
  const { rounds, seconds, directory } = options
  const base = join(directory, 'failover')
  mkdirSync(base, { recursive: true })
  const machine = describeMachine(directory)
  const rows = [KILL, LEAVE, JOIN].map(
    (scenario): Row => ({ scenario, peer: 'parley', rounds: [], cpu: [], noise: [], peak_mib: {}, problems: [] }),
  )
  const not_run: Record<string, string> = {}
  const started: { stop(): Promise<void> }[] = []
  try {
    const cluster = await Cluster.start(base, NODES)
    started.push(cluster)
    const provider = await startProvider()
    started.push(provider)
    const scopes = ['messages:write', 'messages:read']
    const projects = await cluster.openProjects(PROJECTS, scopes, 'cloud', provider.url)
    const config: LoadConfig = { tokens: projects.map(({ token }) => token) }
    const load = await startRemote('load', import.meta.url, './load_host.ts', config)
    started.push(load.child)
    process.stderr.write('failover ')
    for (let round = 0; round < rounds; round++) {
      await oneRound({ cluster, load, provider }, round % cluster.nodes.length, rows, options)
      process.stderr.write('.')
    }
    process.stderr.write('\n')
  } catch (error) {
    not_run.parley = error instanceof Error ? error.message : String(error)
  } finally {
    for (const one of started.reverse()) await one.stop()
  }
  const shown = rows.filter(({ scenario, rounds }) => rounds.length > 0 && wanted(scenario, options.scenarios))
  const verdicts = GOALS.filter(({ scenario }) => wanted(scenario, options.scenarios)).map((goal) => judge(goal, rows))
  return { id: 'failover', summary: SUMMARY, machine, rounds, seconds, rows: shown, verdicts, not_run }
}

/**
 * Kills the node in `place` and replaces it, then lets the node leave and replaces it again. The second replacement is
 * the join.
 */
async function oneRound(world: World, place: number, [kill, leave, join]: Row[], { scenarios }: Options) {
  const { cluster } = world
  const full = cluster.nodes.length
  if (wanted(KILL, scenarios)) {
    await measure(world, place, kill!, async () => {
      process.kill(cluster.nodes[place]!.child.pid, 'SIGKILL')
      await cluster.nodes[place]!.child.exited
      await cluster.shared(full - 1)
    })
    await cluster.fill(place)
    await cluster.shared(full)
  }
  await measure(world, place, leave!, async () => {
    await cluster.nodes[place]!.child.stop()
    await cluster.shared(full - 1)
  })
  await measure(world, place, join!, async () => {
    await cluster.fill(place)
    await cluster.shared(full)
  })
}

/** Loads the nodes other than the one in `place`, from before `happen` until the cluster has settled. */
async function measure({ cluster, load, provider }: World, place: number, row: Row, happen: () => Promise<void>) {
  const ports = cluster.nodes.filter((_, at) => at !== place).map(({ port }) => port)
  const [one, other] = cluster.nodes.filter((_, at) => at !== place)
  // The node in `place` is the one that ends: the others have the callers.
  const own = { node: one!.child.pid, 'other node': other!.child.pid, ...cluster.servers }
  const processes = { ...own, provider: provider.pid, load: load.child.pid }
  const before = cpuSeconds(processes)
  await load.call('begin', { ports, rate: RATE })
  // A node that has just started meets its first requests cold. This benchmark does not measure that.
  const late = Date.now() + CALM_MS
  do await pause(BEFORE_MS)
  while ((await load.call<number>('longest', BEFORE_MS)) > AFFECTED_MS && Date.now() < late)
  const from = Date.now() - BEFORE_MS
  const at = Date.now()
  await happen()
  await pause(AFTER_MS)
  const requests = (await load.call<Request[]>('end')).filter(({ answered_at }) => answered_at >= from)
  const after = cpuSeconds(processes)
  const sample = sampleOf(requests, at)
  row.rounds.push(sample)
  row.cpu.push(
    Object.fromEntries(
      Object.keys(after).map((name) => [name, ((after[name]! - before[name]!) * 1000) / sample.issued]),
    ),
  )
  row.peak_mib = peakMebibytes(processes)
  if (sample.errors > 0) row.problems.push(`${sample.errors} of ${sample.issued} requests failed`)
}

function sampleOf(requests: Request[], at: number): Sample {
  const waits = (some: Request[]) => some.map(({ due_at, answered_at }) => answered_at - due_at)
  const since = requests.filter(({ answered_at }) => answered_at >= at)
  const affected = since.filter(({ due_at, answered_at }) => answered_at - due_at > AFFECTED_MS)
  const failed = requests.filter(({ ok }) => !ok).length
  const last = requests.reduce((latest, { answered_at }) => Math.max(latest, answered_at), 0)
  return {
    operations: requests.length - failed,
    issued: requests.length,
    errors: failed,
    seconds: (last - requests[0]!.due_at) / 1000,
    p50_ms: quantile(waits(since), 0.5),
    p99_ms: quantile(waits(since), 0.99),
    figures: {
      [BACK]: Math.max(0, ...affected.map(({ answered_at }) => answered_at - at)) / 1000,
      [WAIT]: Math.max(0, ...waits(since)),
      [USUAL]: Math.max(0, ...waits(requests.filter(({ answered_at }) => answered_at < at))),
      [AFFECTED]: affected.length,
      [REFUSED]: requests.reduce((sum, { refused }) => sum + refused, 0),
    },
  }
}
