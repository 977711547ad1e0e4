/** The events in the life of a fleet, one after the other, with the measurements of each. */
import { quantile } from '../bench/report/figures.ts'
import type { FakeNode } from './fake_node.ts'
import type { Fleet } from './fleet.ts'
import { type Cost, Meter } from './meter.ts'
import type { MeasuredServer } from './server.ts'

const SILENCE_MS = 5000
const ROLLED = 10
/** Longer than anything that was begun goes on. */
const CALM_MS = 3000

/** The course of a change. Gaps are the times in which single partitions had no living owner, in milliseconds. */
export type Change = {
  name: string
  /** The number of partitions without an owner for a while, and the median and the longest of these times. */
  gaps: number
  median_ms: number
  worst_ms: number
  /** Milliseconds until shares differed by one at most. */
  even_ms: number
  /** The number of partitions that were taken, and the least number that had to be. */
  moves: number
  min_moves: number
  queries: number
  rows: number
  cpu: number
}

export type Outcome = {
  nodes: number
  partitions: number
  steady: Cost
  changes: Change[]
  findings: string[]
}

type Options = { nodes: number; seconds: number; log(line: string): void }

export async function runScenarios(
  fleet: Fleet,
  server: MeasuredServer | undefined,
  options: Options,
): Promise<Outcome> {
  const { nodes, seconds, log } = options
  const { time, partitions } = fleet
  const meter = new Meter(fleet, server)
  const changes: Change[] = []
  const change = async (name: string, min_moves: number, act: () => unknown) => {
    fleet.said.clear()
    changes.push(await measure(fleet, meter, name, min_moves, act))
    log(`${name}: ${JSON.stringify(changes.at(-1))}`)
    for (const [text, times] of fleet.said) log(`    ${times} × ${text}`)
  }
  const share = partitions / nodes
  await change('start of all', partitions, () => fleet.start(nodes))
  await time.pause(CALM_MS)
  await meter.begin()
  await time.pause(seconds * 1000)
  const steady = await meter.cost()
  log(`steady: ${JSON.stringify(steady)}`)

  await change('a death', Math.ceil(share), () => fleet.kill(fleet.owners()[0]!))
  const tenth = Math.ceil(nodes / 10)
  if (tenth > 1) {
    const dead = sample([...fleet.nodes], tenth)
    const lost = dead.reduce((sum, { held }) => sum + held, 0)
    await change(`death of ${tenth} at once`, lost, () => {
      for (const node of dead) fleet.kill(node)
    })
  }
  await change('a join', Math.floor(partitions / (fleet.nodes.size + 1)), () => fleet.start(1))
  await change('a leave', fleet.owners()[0]!.held, () => fleet.leave(fleet.owners()[0]!))
  if (server) await change('PostgreSQL silent for 5 s', 0, () => silence(fleet, server))
  const rolled = sample(fleet.owners(), Math.min(ROLLED, fleet.owners().length))
  // The partitions of a leaving node move away, and its successor gets as many.
  const least = 2 * rolled.reduce((sum, { held }) => sum + held, 0)
  await change(`restart of ${rolled.length}, one by one`, least, () => roll(fleet, rolled))
  return { nodes, partitions, steady, changes, findings: fleet.ownership.findings }
}

async function measure(
  fleet: Fleet,
  meter: Meter,
  name: string,
  min_moves: number,
  act: () => unknown,
): Promise<Change> {
  const { ownership, time } = fleet
  ownership.begin()
  await meter.begin()
  const from = time.now()
  await act()
  await fleet.until(`${name}: even shares`, () => fleet.isEven)
  const even_ms = time.now() - from
  await time.pause(CALM_MS)
  const { queries, rows, cpu } = await meter.sums()
  const { gaps_ms, moves } = ownership
  return {
    name,
    gaps: gaps_ms.length,
    median_ms: quantile(gaps_ms, 0.5),
    worst_ms: Math.max(0, ...gaps_ms),
    even_ms,
    moves,
    min_moves,
    queries,
    rows,
    cpu,
  }
}

async function silence({ time, nodes }: Fleet, server: MeasuredServer): Promise<void> {
  server.pause()
  await time.pause(SILENCE_MS).finally(server.resume)
  for (const node of nodes) while (!node.isLeased) await time.pause(10)
}

/** Lets each node leave, with another one in its place. */
async function roll(fleet: Fleet, nodes: FakeNode[]): Promise<void> {
  for (const node of nodes) {
    await fleet.leave(node)
    await fleet.start(1)
    await fleet.until('even shares during a restart', () => fleet.isEven)
  }
}

function sample(nodes: FakeNode[], count: number): FakeNode[] {
  return nodes.sort(() => Math.random() - 0.5).slice(0, count)
}
