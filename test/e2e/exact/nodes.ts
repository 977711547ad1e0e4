/**
 * The two nodes that the checks of this folder share. `exact.test.ts` runs each check, and `exact_moved.long.test.ts` all of
 * them at the same time while partitions change hands.
 */
import type { Test } from 'tap'
import { scopes } from '../../../actors/mod.ts'
import { type Database, openDatabase } from '../../../storage/mod.ts'
import { leakReporter } from '../../support/mod.ts'
import { type Answer, sleep } from '../client.ts'
import { type ClusterNode, startCluster, type TestCluster } from '../cluster.ts'
import { made, type Tenant } from '../fixture.ts'
import { callAsProvider } from '../provider_call.ts'

export const reporter = leakReporter('one')

export let cluster: TestCluster

export let nodes: TestCluster['nodes']

export let world: TestCluster['world']

export let database: Database

/** Starts the two nodes that the checks of a file use. */
export async function beginExact(t: Test): Promise<{ cluster: TestCluster; database: Database }> {
  cluster = await startCluster(t, { config: { secret_scanning_keys: { one: reporter.listed.key } } })
  database = await openDatabase({ url: cluster.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  ;({ nodes, world } = cluster)
  return { cluster, database }
}

export const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

export const text = (body: string) => ({ type: 'text', body })

/** Runs `ask` `count` times at once, through the nodes in turn. */
export function atOnce<Result>(
  count: number,
  ask: (node: ClusterNode, n: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(upTo(count).map((n) => ask(nodes[n % nodes.length]!, n)))
}

/** Calls the provider's webhook with one message, signed as the provider does. */
export function inbound({ base_url }: ClusterNode, { number }: Tenant, id: string, from: string): Promise<Answer> {
  const contacts = [{ wa_id: from, profile: { name: 'Ana' } }]
  return callAsProvider({ http: cluster.http, base_url }, number, { messages: [{ id, from }], contacts })
}

/**
 * `spread_ms`: milliseconds over which a check spreads its requests, so that a handover falls among them. `begun`: the
 * requests so far.
 */
export const pace = { spread_ms: 0, begun: 0 }

export const somewhen = async () => {
  await sleep(Math.random() * pace.spread_ms)
  pace.begun++
}

/** Makes a token of another project of the same company. */
export async function secondProject({ company_id, user_id }: Tenant): Promise<string> {
  const limits = { minute: 5000, hour: 5000, day: 5000 }
  const project = await made(world.operator('POST', 'projects', { company_id, name: 'Second', limits }))
  const token = { project_id: project._id, user_id, name: 'Second', scopes }
  return (await made(world.operator('POST', 'tokens', token))).token
}

let people = 0

export async function newContact(token: string): Promise<string> {
  const contact = { channel_type: 'telegram', user_id: `u${++people}` }
  return (await made(nodes[0]!.call(token, 'POST', 'contacts', contact)))._id
}
