/** One round: work is going on, a fault strikes, the cluster recovers, the checker compares. */
import { eventually, sleep } from '../e2e/client.ts'
import type { Circumstances, Finding } from '../e2e/history_checker.ts'
import type { Request } from '../e2e/load.ts'
import { between, chance, shuffled } from './chance.ts'
import { faults } from './faults/mod.ts'
import { type Fleet, NODES, PARTITIONS, type Place, rebuild, shares } from './fleet.ts'
import { audit } from './network_audit.ts'
import type { Round } from './plan.ts'
import { type Reader, startReader } from './readers.ts'
import type { Scene } from './scene.ts'
import { type Counts, type Running, workloads } from './workloads.ts'

export type Outcome = Round & {
  what: string
  counts: Counts
  /** The time from the fault to the answer of the last request it touched; 0 when it touched none. */
  recovery_ms: number
  /** The request with that last answer. */
  last: Request | undefined
  took_ms: number
  findings: Finding[]
}

/** The number of tenants that work at once. */
const BUSY = 3
const RECOVERED_MS = 45_000
const ANSWERED_MS = 60_000
/** A request answered sooner and at the first try was not touched by the fault. */
const UNTOUCHED_MS = 1000

/** Runs a round. `hold_ms` is the duration of holds that would last an hour in production. */
export async function runRound(fleet: Fleet, round: Round, hold_ms: number): Promise<Outcome> {
  const random = chance(round.seed)
  const findings: Finding[] = []
  const circumstances: Circumstances = {}
  const fault = faults[round.fault]!
  const needs = fault.needs?.(random) ?? {}
  await tried(findings, () => rebuild(fleet, needs))
  const from = Date.now()
  const world = { ...fleet.world, database: fleet.database }
  const places = shuffled(random, fleet.places).slice(0, BUSY)
  const work = places.map((place) => workloads[round.workload]!(world, place, `r${round.number}`))
  const readers = places.map(({ watched }) => startReader(watched, fleet))
  await sleep(between(random, 300, 1800))

  const undos: (() => Promise<unknown>)[] = []
  const scene: Scene = {
    fleet,
    random,
    workload: round.workload,
    hold_ms,
    busy: places.map((place, n) => ({ place, running: work[n]! })),
    found: (kind, what) => void findings.push({ kind, what }),
    forgot(lost) {
      circumstances.lost = lost
    },
    skewed() {
      circumstances.skewed = true
    },
    afterwards: (undo) => void undos.push(undo),
  }
  const struck = Date.now()
  const what = await tried(findings, () => fault.strike(scene))
  await tried(findings, () => recovered(fleet, round))
  for (const undo of undos.reverse()) await tried(findings, undo)
  const well = Date.now()
  await sleep(200)
  await tried(findings, () => stopped(work, readers))
  for (const found of await Promise.all(work.map((one) => tried(findings, () => one.findings(circumstances)))))
    findings.push(...(found ?? []))
  for (const reader of readers) findings.push(...reader.findings(circumstances.lost))
  for (const fault of (await tried(findings, () => audit(fleet.database)))?.faults ?? [])
    findings.push({ kind: 'doubled', what: fault })
  for (const one of [fleet.postgres, fleet.nats, ...fleet.nodes])
    for (const what of one.ownEnds()) findings.push({ kind: 'surprise', what })
  for (const hang of fleet.balancer.hangs.splice(0)) findings.push({ kind: 'surprise', what: `no answer: ${hang}` })

  const touched = work
    .flatMap(({ requests }) => requests)
    .filter(({ begun, ended, tries }) => begun <= well && ended > struck && (tries > 1 || ended - begun > UNTOUCHED_MS))
  const last = touched.sort((a, b) => b.ended - a.ended)[0]
  return {
    ...round,
    what: what ?? '',
    counts: work.map((one) => one.counts()).reduce(plus),
    recovery_ms: last ? last.ended - struck : 0,
    last,
    took_ms: Date.now() - from,
    findings,
  }
}

/** Turns an error of a step into a finding, and lets the other steps go on. */
async function tried<Result>(findings: Finding[], step: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await step()
  } catch (error) {
    findings.push({ kind: 'stuck', what: (error as Error).stack ?? String(error) })
    return undefined
  }
}

/**
 * Waits until the living nodes share all partitions, every node is ready, and each can change something in every
 * partition.
 */
async function recovered(fleet: Fleet, { number }: Round): Promise<void> {
  let last: unknown
  const look = async () => {
    const owned = await shares(fleet)
    const ready = await Promise.all(fleet.nodes.map((node) => statusOf(fleet, 'GET', `${node.base_url}/ready`)))
    last = { owned, ready }
    const even = owned.every((share) => share >= Math.floor(PARTITIONS / NODES))
    if (!even || owned.reduce((sum, share) => sum + share) < PARTITIONS || ready.some((status) => status !== 200))
      return false
    const probes = await Promise.all(fleet.places.flatMap((place) => probe(fleet, place, number)))
    last = { owned, ready, probes }
    return probes.every((status) => status === 200)
  }
  await eventually('the cluster is well', () => look().catch(() => false), RECOVERED_MS).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(last)}`)
  })
}

/** Asks every node for a change in the place's partition. */
function probe(fleet: Fleet, { tenant, subscription_id }: Place, number: number): Promise<number>[] {
  const json = { name: `Round ${number}` }
  return fleet.nodes.map(({ base_url }) =>
    statusOf(fleet, 'PATCH', `${base_url}/v1/webhooks/${subscription_id}`, { json, token: tenant.token }),
  )
}

function statusOf({ http }: Fleet, ...call: Parameters<Fleet['http']>): Promise<number> {
  return http(...call).then(
    ({ status }) => status,
    () => 0,
  )
}

async function stopped(work: readonly Running[], readers: readonly Reader[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const requests = work.flatMap(({ requests }) => requests).filter(({ tries, ended }) => tries > 0 && ended === 0)
      const open = [
        ...requests.map(({ what, tries }) => `${what} (${tries} tries)`),
        ...readers.map((one) => one.open()),
      ]
      reject(new Error(`not answered: ${open.filter(Boolean).join(', ')}`))
    }, ANSWERED_MS)
  })
  const all = [...work, ...readers].map((one) => one.stop())
  await Promise.race([Promise.all(all), late]).finally(() => clearTimeout(timer))
}

function plus(a: Counts, b: Counts): Counts {
  return {
    sends: a.sends + b.sends,
    inbound: a.inbound + b.inbound,
    changes: a.changes + b.changes,
    deliveries: a.deliveries + b.deliveries,
  }
}
