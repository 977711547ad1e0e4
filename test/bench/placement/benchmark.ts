/** The time to place all partitions of a cluster of a thousand nodes, which every node does when its members change. */
import { place } from '../../../runtime/cluster/placement.ts'
import type { Benchmark, Options } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { type Goal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'

const SUMMARY = 'who should own which partition, of a cluster of 1000 nodes; an operation is one computation'
const NODES = 1000
const FREE = [64, 1024, 4096].map((partitions) => ({ name: `${partitions} free partitions`, partitions }))
const SETTLED = '4096 partitions, one node is gone'
const GOALS = [msGoal(FREE[2]!.name, 100), msGoal(SETTLED, 100)]

/** The benchmark `placement`; `--seconds` does not apply. */
export const placement: Benchmark = { id: 'placement', summary: SUMMARY, run: async (options) => run(options) }

function run({ rounds, seconds, directory }: Options): Report {
  const machine = describeMachine(directory)
  const members = Array.from({ length: NODES }, (_, i) => ({ id: ((i + 1) * 137_438_953_481).toString(16) }))
  const free = (partitions: number): undefined[] => new Array(partitions).fill(undefined)
  const owners = place(members, free(4096)).map((owner) => (owner === members[0]!.id ? undefined : owner))
  const rows = [
    ...FREE.map(({ name, partitions }) => measure(name, rounds, () => place(members, free(partitions)))),
    measure(SETTLED, rounds, () => place(members.slice(1), owners)),
  ]
  const verdicts = GOALS.map((goal) => judge(goal, rows))
  return { id: 'placement', summary: SUMMARY, machine, rounds, seconds, rows, verdicts, not_run: {} }
}

function measure(scenario: string, rounds: number, work: () => unknown): Row {
  const row: Row = { scenario, peer: 'parley', rounds: [], cpu: [], noise: [], peak_mib: {}, problems: [] }
  // A running node has done this before.
  work()
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    const from = performance.now()
    work()
    const ms = performance.now() - from
    const { user, system } = process.cpuUsage(before)
    row.rounds.push({ operations: 1, issued: 1, errors: 0, seconds: ms / 1000, p50_ms: ms, p99_ms: ms })
    row.cpu.push({ node: (user + system) / 1000 })
  }
  return row
}

function msGoal(scenario: string, value: number): Goal {
  const measure = (rows: Row[]) => rows[0]?.rounds.map(({ p50_ms }) => p50_ms)
  return { scenario, text: `at most ${value} ms`, bound: 'at most', value, measure }
}
