/**
 * The judge of a quiet history: nothing acknowledged is lost, nothing was done twice or out of order, no read showed
 * less than had been acknowledged before, and nothing is left to do.
 */
import type { AlarmState, ChannelState, CounterState, JobState, LinkState } from './actors.ts'
import type { SimulatedCluster } from './cluster.ts'
import type { Operation } from './workload.ts'

type AnyState = CounterState & Partial<LinkState & AlarmState & JobState & ChannelState>

/** Describes the work that is left, or returns nothing when all is quiet. */
export function leftToDo({ server, serving, living }: SimulatedCluster): string[] {
  const { tables } = server
  const left: string[] = []
  const ids = new Map(serving.map((member) => [member.id, member]))
  for (const { id, node } of living) if (!node) left.push(`${id} has not started`)
  for (const [id, { owner }] of tables.partitions) {
    if (!ids.has(owner ?? '')) left.push(`partition ${id} is owned by ${owner ?? 'nobody'}`)
  }
  const held = serving.reduce((sum, { node }) => sum + node.stats().partitions, 0)
  if (held !== tables.partitions.size) left.push(`${held} partitions are held`)
  for (const { address, json } of tables.outbox.values()) left.push(`for ${address}: ${json}`)
  for (const { address, name, due } of tables.timers.values()) {
    if (due === null || due <= server.now()) left.push(`timer ${name} of ${address}`)
  }
  return left
}

export function check(cluster: SimulatedCluster, operations: readonly Operation[]): void {
  const { server, owners } = cluster
  const states = new Map<string, AnyState>()
  for (const [address, json] of server.tables.states) states.set(address, JSON.parse(json) as AnyState)
  for (const [address, state] of states) {
    for (const wrong of state.wrong) cluster.find(`${address}: ${wrong}`)
    if (new Set(state.fired ?? []).size < (state.fired ?? []).length) cluster.find(`doubled: a timer of ${address}`)
    if (state.open && Object.keys(state.open).length > 0)
      cluster.find(`stuck: ${address} has ${JSON.stringify(state.open)}`)
    for (const [name, { due }] of Object.entries(state.set ?? {})) {
      if (due <= server.now()) cluster.find(`lost: timer ${name} of ${address} never rang`)
    }
  }
  for (const { id, address, kind, outcome } of operations) {
    if (outcome !== 'done' || kind === 'get' || owners.lost.has(`${address} ${id}`)) continue
    if (!states.get(address)?.ids.includes(id)) cluster.find(`lost: ${kind} ${id} at ${address} was acknowledged`)
  }
  checkChains(cluster, states)
  checkSends(cluster, states, operations)
  checkReads(cluster, operations)
  cluster.watchers.check((text) => cluster.find(text))
}

/**
 * The longest time, in milliseconds, for an answer of an actor whose lane waits for locked rows. The lane tries without
 * those rows after a second.
 */
const HELD_UP_MS = 5000

/** Checks that one locked row stops its own actor alone. For histories without any other fault. */
export function checkNeighbours(cluster: SimulatedCluster, operations: readonly Operation[]): void {
  for (const { kind, id, address, host, asked_at, answered_at } of operations) {
    // Chains lead from one actor to others.
    if (cluster.locked.has(address) || address.startsWith('link/')) continue
    const ms = Math.round((answered_at ?? Number.POSITIVE_INFINITY) - asked_at)
    if (ms > HELD_UP_MS) cluster.find(`held up: ${kind} ${id} at ${address} was answered after ${ms} ms at ${host}`)
  }
}

/** Checks that the last message of each head has reached every link of its chain. */
function checkChains(cluster: SimulatedCluster, states: ReadonlyMap<string, AnyState>): void {
  for (const [address, { n, last }] of states) {
    for (const [origin, seen] of Object.entries(last ?? {})) {
      const told = states.get(origin)?.n ?? 0
      if (seen !== told) cluster.find(`lost: ${address} has ${seen} of the ${told} messages of ${origin}`)
    }
    if (n && ![...states.values()].some((state) => state.last?.[address] === n)) {
      cluster.find(`lost: nobody has message ${n} of ${address}`)
    }
  }
}

/** Checks that every message that a desk took in has reached its channel. */
function checkSends(
  cluster: SimulatedCluster,
  states: ReadonlyMap<string, AnyState>,
  operations: readonly Operation[],
): void {
  for (const { id, kind, address } of operations) {
    if (kind !== 'submit') continue
    const channel = `channel/h${address.slice('desk/d'.length)}`
    const [taken, sent] = [address, channel].map((one) => states.get(one)?.ids.includes(id) ?? false)
    if (taken !== sent) cluster.find(`lost: ${id} is ${taken ? 'not' : 'only'} at ${channel}`)
  }
}

/** Checks that each read shows everything that was acknowledged before it began. */
function checkReads(cluster: SimulatedCluster, operations: readonly Operation[]): void {
  const acknowledged = operations.filter(
    ({ kind, outcome, address, id }) =>
      kind === 'add' && outcome === 'done' && !cluster.owners.lost.has(`${address} ${id}`),
  )
  for (const read of operations) {
    if (read.kind !== 'get' || read.outcome !== 'done') continue
    let least = 0
    for (const { address, answered_at } of acknowledged) {
      if (address === read.address && answered_at! < read.asked_at) least++
    }
    if ((read.reply as number) < least) {
      cluster.find(`stale: ${read.host} read ${read.reply} at ${read.address}, after ${least} had been acknowledged`)
    }
  }
}
