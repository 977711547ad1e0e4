/**
 * The state of the whole installation, and how it got there in the last 15 minutes. Viewers ask every few seconds; a node
 * makes one reading for all of its viewers, and none while nobody looks. A reading that took long is used longer, so that
 * watching a busy database costs it a small part of its time at most.
 */
import { performance } from 'node:perf_hooks'
import * as v from 'valibot'
import { timestamp } from '../../../actors/mod.ts'
import type { Cluster } from '../../../runtime/mod.ts'
import { type Database, newDate, readBacklogs, readLeases, warningOfKeys } from '../../../storage/mod.ts'
import { warningOf } from '../../media/file_stores.ts'
import { type ActivityBoard, type NodeActivity, tenantsOf } from '../../routes/node_activity.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { type Overview, overview, sample } from './overview_fields.ts'
import { Samples } from './samples.ts'
import { warningsOf } from './warnings.ts'

const FRESH_MS = 4000
/** A reading is used for this many times the time that it took the database. */
const PATIENCE = 20

/** `fresh_ms`: minimum age of a reading before the next one. */
export function overviewRoute(cluster: Cluster, board: ActivityBoard, fresh_ms = FRESH_MS): Route {
  const samples = new Samples()
  let made: { overview: Overview; until: number } | undefined
  let under_way: Promise<Overview> | undefined
  const read = (database: Database): Promise<Overview> => {
    if (made && performance.now() < made.until) return Promise.resolve(made.overview)
    const began = performance.now()
    under_way ??= readOverview(cluster, board, database, samples)
      .then(({ took_ms, ...overview }) => {
        made = { overview, until: began + Math.max(fresh_ms, took_ms * PATIENCE) }
        return overview
      })
      .finally(() => {
        under_way = undefined
      })
    return under_way
  }
  return route({
    method: 'GET',
    path: '/console/ops/overview',
    operation: 'ops_get_overview',
    summary: 'The state of the installation, with the samples of the last 15 minutes or those after `since`',
    auth: 'agent',
    query: v.strictObject({ since: v.optional(timestamp) }),
    status: 200,
    response: v.object({ ...overview.entries, samples: v.array(sample) }),
    async read({ query: { since } }, { database }) {
      const overview = await read(database)
      return { ...overview, samples: samples.after(since) }
    },
  })
}

async function readOverview(
  cluster: Cluster,
  board: ActivityBoard,
  database: Database,
  samples: Samples,
): Promise<Overview & { took_ms: number }> {
  const { nodes, owners } = await cluster.nodes()
  const ids = nodes.map(({ id }) => id)
  const began = performance.now()
  const counting = readBacklogs(database).then((backlogs) => ({ backlogs, took_ms: performance.now() - began }))
  const [reports, { backlogs, took_ms }, leases] = await Promise.all([board.read(ids), counting, readLeases(database)])
  const tenants = await tenantsOf(database, reports)
  nodes.sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1))
  const places = new Map(nodes.map(({ id }, place) => [id, place]))
  const inboxes = nodes.reduce((sum, { backlog }) => sum + backlog, 0)
  const at = newDate()
  const known = { ...backlogs, inboxes }
  const { rates, by_node } = samples.take(at, known, reports, tenants)
  const node_records = nodes.map(({ files: _, keys: __, release, started_at, ...node }) => ({
    ...node,
    started_at: new Date(started_at).toISOString(),
    release: release ?? null,
    lease_age_s: leases.get(node.id) ?? null,
    figures: figuresOf(reports, node.id),
    cpu: by_node.get(node.id)?.cpu ?? null,
    per_second: by_node.get(node.id)?.per_second ?? null,
  }))
  const partitions = {
    total: owners.length,
    owners: owners.map((owner) => (owner === null ? null : (places.get(owner) ?? null))),
  }
  const warnings = [warningOf(nodes), warningOfKeys(nodes)].filter((warning) => warning !== undefined)
  const facts = { nodes: node_records, owners: partitions.owners, backlogs: known, rates, setting_warnings: warnings }
  return {
    took_ms,
    at: at.toISOString(),
    nodes: node_records,
    partitions,
    backlogs: known,
    rates,
    hot: tenants,
    warnings: warningsOf(facts),
  }
}

function figuresOf(reports: readonly NodeActivity[], id: string) {
  return reports.find(({ node }) => node === id)?.figures ?? null
}
