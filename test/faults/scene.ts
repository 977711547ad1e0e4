/** The scene of a fault: a cluster at work, and a place for the findings of the fault itself. */
import { partitionOf } from '../../runtime/mod.ts'
import { eventually } from '../e2e/client.ts'
import type { Finding, Interval } from '../e2e/history_checker.ts'
import { between, type Chance } from './chance.ts'
import { type Fleet, PARTITIONS, type Place } from './fleet.ts'
import type { ParleyNode } from './node.ts'
import type { Running } from './workloads.ts'

export type Scene = {
  fleet: Fleet
  random: Chance
  workload: string
  /** The duration, in milliseconds, of holds that would last an hour in production. */
  hold_ms: number
  /** The tenants that work, each with its work. */
  busy: readonly { place: Place; running: Running }[]
  found(kind: Finding['kind'], what: string): void
  /** Notes that a server took over without the commits of this time. */
  forgot(lost: Interval): void
  /** Notes that wall clocks differ in this round. */
  skewed(): void
  /** Registers a step that runs after the cluster has recovered. The recovery must not need it. */
  afterwards(undo: () => Promise<unknown>): void
}

/** The settings that a fault needs for the nodes' start. Others stay as usual. */
export type Needs = { newer?: boolean; confirm_ms?: number }

export type Fault = {
  /** Draws the settings before the work begins. */
  needs?(random: Chance): Needs
  /** Strikes, and ends with everything put back. Resolves to a description with the numbers that were drawn. */
  strike(scene: Scene): Promise<string>
}

export function anyNode({ fleet, random }: Pick<Scene, 'fleet' | 'random'>): ParleyNode {
  return fleet.nodes[between(random, 0, fleet.nodes.length - 1)]!
}

export function anyOf<Item>(random: Chance, items: readonly Item[]): Item {
  return items[between(random, 0, items.length - 1)]!
}

/** Returns a node that has the work of one of the busy tenants. For sending, the node that calls the provider. */
export async function busyNode(scene: Scene): Promise<ParleyNode> {
  const { fleet, random, busy, workload } = scene
  const { tenant } = anyOf(random, busy).place
  const address = calls(workload) ? `channel/${tenant.number.channel_id}` : `project/${tenant.project_id}`
  const partition = partitionOf(address, PARTITIONS)
  return eventually('a node has the work', async () => {
    const [row] = await fleet.database.execute<{ owner: string }>(`select owner from partition where id = ${partition}`)
    const { body } = await fleet.world.operator('GET', 'cluster')
    const pid = (body?.nodes as { id: string; pid: number }[] | undefined)?.find(({ id }) => id === row!.owner)?.pid
    return fleet.nodes.find((node) => node.pid === pid)
  })
}

/** Reports nodes that call themselves ready when none of them can be. */
export async function expectUnready({ found }: Scene, nodes: readonly ParleyNode[], why: string): Promise<void> {
  for (const node of nodes) if (await isReady(node)) found('surprise', `${node.name} says that it is ready, ${why}`)
}

export async function isReady({ base_url }: ParleyNode): Promise<boolean> {
  const answer = await fetch(`${base_url}/ready`).catch(() => undefined)
  await answer?.arrayBuffer()
  return answer?.status === 200
}

const calls = (workload: string) => workload === 'send' || workload === 'deliver'

/** Returns the id of a node in the cluster. */
export function idOf({ world }: Fleet, node: ParleyNode): Promise<string> {
  return eventually(`${node.name} is known`, async () => {
    const { body } = await world.operator('GET', 'cluster')
    return (body?.nodes as { id: string; pid: number }[] | undefined)?.find(({ pid }) => pid === node.pid)?.id
  })
}

/**
 * Returns a text that only a commit of this work contains, on its way to PostgreSQL. For messages, a commit that marks
 * one as attempted.
 */
export function commitMark(workload: string): string {
  return calls(workload) ? 'attempting' : 'lane_fence'
}
