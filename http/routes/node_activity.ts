/** Reports of the cluster's nodes, and the projects that make most work. */
import * as v from 'valibot'
import { type Database, projectsOfActors } from '../../storage/mod.ts'

/** Counters of a node since its start, and its present state. */
export type Figures = Record<keyof typeof figures.entries, number>

/** The report of one node. `hot`: its busiest actors. */
export type NodeActivity = { node: string; figures: Figures; hot: { address: string; per_second: number }[] }

export type ActivityBoard = {
  /** The reports. Nodes that do not answer in time, or are of an older version, are missing. */
  read(nodes: readonly string[]): Promise<NodeActivity[]>
}

/** Tenants of an answer. */
const MAX_HOT = 20

const counter = (text: string) => v.pipe(v.number(), v.description(`${text}, since the node started`))
const present = (text: string) => v.pipe(v.number(), v.description(text))

export const figures = v.object({
  requests: counter('Requests answered'),
  request_errors: counter('Requests answered with 500 or more'),
  requests_in_flight: present('Requests taken and not answered yet'),
  turns: counter('Turns of actors'),
  messages: counter('Messages that actors handled'),
  commits: counter('Transactions'),
  sends: counter('Tries to send a message'),
  sends_failed: counter('Tries that the provider did not accept'),
  webhooks: counter('Attempts at webhooks'),
  webhooks_failed: counter('Attempts at webhooks that failed'),
  faults: counter('Turns that failed and were undone'),
  cpu_seconds: counter('Processor time'),
  memory_bytes: present('Resident memory'),
  loop_delay_seconds: present('Delay of the event loop, the 99th percentile'),
  actors: present('Actors in memory'),
  waiting: present('Messages taken in and not yet applied'),
})

/** The projects whose actors are busiest, on all nodes together. */
export async function tenantsOf(database: Database, reports: NodeActivity[]) {
  const hot = reports.flatMap(({ hot }) => hot)
  const projects = await projectsOfActors(
    database,
    hot.map(({ address }) => address),
  )
  const rates = new Map<string, { project_id: string; project: string; company: string; per_second: number }>()
  let all = 0
  for (const { address, per_second } of hot) {
    all += per_second
    const found = projects.get(address)
    if (!found) continue
    const rate = rates.get(found.project_id)
    if (rate) rate.per_second += per_second
    else rates.set(found.project_id, { ...found, per_second })
  }
  const tenants = [...rates.values()].sort((one, other) => other.per_second - one.per_second).slice(0, MAX_HOT)
  return tenants.map((tenant) => ({ ...tenant, share: tenant.per_second / all }))
}
