/** Where a fault strikes: a cluster at work, and a place for what the fault itself finds. */
import { eventually } from '../parley/client.ts'
import type { Request } from '../parley/load.ts'
import type { Finding, Interval } from '../parley/witness.ts'
import { between, type Chance } from './chance.ts'
import type { Fleet, Place } from './fleet.ts'
import type { ParleyNode } from './node.ts'
import type { Running } from './workloads.ts'

export type Scene = {
  fleet: Fleet
  random: Chance
  workload: string
  /** The tenants that work, each with its work. */
  busy: readonly { place: Place; running: Running }[]
  found(kind: Finding['kind'], what: string): void
  /** A server took over without what was committed in this time. */
  forgot(lost: Interval): void
  /** Wall clocks differ in this round. */
  skewed(): void
}

/** How the nodes have to be started for a fault; what is not named is as ever. */
export type Needs = { newer?: boolean; confirm_ms?: number }

export type Fault = {
  /** Drawn before the work begins. */
  needs?(random: Chance): Needs
  /** Ends with everything put back. Resolves to what was done, with the numbers that were drawn. */
  strike(scene: Scene): Promise<string>
}

export function anyNode({ fleet, random }: Pick<Scene, 'fleet' | 'random'>): ParleyNode {
  return fleet.nodes[between(random, 0, fleet.nodes.length - 1)]!
}

export function anyOf<Item>(random: Chance, items: readonly Item[]): Item {
  return items[between(random, 0, items.length - 1)]!
}

/** How others know this node. */
export function idOf({ world }: Fleet, node: ParleyNode): Promise<string> {
  return eventually(`${node.name} is known`, async () => {
    const { body } = await world.operator('GET', 'cluster')
    return (body?.nodes as { id: string; pid: number }[] | undefined)?.find(({ pid }) => pid === node.pid)?.id
  })
}

/** Text that only a commit of this work has, on its way to PostgreSQL: one that marks a message as attempted, where there are. */
export function commitMark(workload: string): string {
  return workload === 'send' || workload === 'deliver' ? 'attempting' : 'lane_fence'
}

/** The longest part of an interval in which nothing that these tenants asked for was acknowledged, in milliseconds. */
export function longestGap(requests: readonly Request[], { from, to }: Interval): number {
  const ends = requests.flatMap(({ ended }) => (ended > from && ended < to ? [ended] : [])).sort((a, b) => a - b)
  let gap = 0
  let last = from
  for (const end of [...ends, to]) {
    gap = Math.max(gap, end - last)
    last = end
  }
  return gap
}
