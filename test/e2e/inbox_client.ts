/** An agent at the inbox of a project, and the turning of clocks for what the project does later. */
import { type Database, openDatabase } from '../../storage/mod.ts'
import { type Ask, askerOf } from './bulk_client.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { type ClusterNode, startCluster } from './cluster.ts'
import { makeAgent, signIn } from './console_client.ts'
import { openConsole } from './console_socket.ts'
import { made, makeSister, makeTenant, type Outside, type Tenant } from './fixture.ts'
import type { Judge } from './sink.ts'

export type InboxAgent = {
  id: string
  cookie: string
  /** Calls below the project. */
  ask: Ask
  list(query?: string): Promise<Json[]>
  /** The row of a ticket, wherever it is in the inbox. */
  row(ticket_id: string): Promise<Json>
}

export async function inboxAgent(world: Outside, tenant: Tenant): Promise<InboxAgent> {
  const agent = await makeAgent(world, tenant)
  const { cookie } = await signIn(world, agent as { email: string })
  return agentAt(world, tenant, { id: agent._id, cookie })
}

/**
 * Makes projects of one company, one with each call, and agents who work in all of them and sign in once.
 */
export async function makeOffice(world: Outside, count = 1) {
  let unused: Tenant | undefined = await makeTenant(world)
  const company = unused
  const agents: InboxAgent[] = []
  for (let n = 0; n < count; n++) agents.push(await inboxAgent(world, company))
  return async () => {
    const tenant = unused ?? (await makeSister(world, company))
    unused = undefined
    return { tenant, agents: agents.map((agent) => agentAt(world, tenant, agent)) as [InboxAgent, InboxAgent] }
  }
}

/** The same agent at another node, or in another project of the company. */
function agentAt(
  { http, base_url }: Pick<Outside, 'http' | 'base_url'>,
  tenant: Tenant,
  { id, cookie }: { id: string; cookie: string },
): InboxAgent {
  const ask = askerOf(http, base_url, cookie, tenant)
  const list = async (query = ''): Promise<Json[]> => (await made(ask('GET', `inbox${query}`))).data
  return {
    id,
    cookie,
    ask,
    list,
    async row(ticket_id) {
      for (const query of ['', '?is_snoozed=true', '?is_closed=true']) {
        const found = (await list(query)).find((row) => row.ticket_id === ticket_id)
        if (found) return found
      }
      throw new Error(`the inbox has no ticket ${ticket_id}`)
    },
  }
}

/** Lets a person write, and returns the ticket. */
export async function ticketOf(tenant: Tenant, agent: InboxAgent, from: string): Promise<string> {
  await tenant.writes(from, 'Hi')
  const found = (await agent.list()).find(({ contact }) => contact.phone === from)
  return found!.ticket_id
}

/** All events of some types that a socket of the agent hears, with their data. */
export async function listen(t: Parameters<typeof openConsole>[0], world: Outside, tenant: Tenant, agent: InboxAgent) {
  const socket = await openConsole(t, world.base_url, agent.cookie)
  await socket.ask('watch', { project_id: tenant.project_id })
  return {
    heard: (type: string): Json[] =>
      socket
        .events()
        .filter((event) => event.type === type)
        .map(({ data }) => data),
    hears: (type: string, count: number) =>
      eventually(`${count} ${type}`, () => socket.events().filter((event) => event.type === type).length >= count),
  }
}

/**
 * Turns the clock for what a project does later: moves timers whose names begin so, and the times in rows, an hour and a
 * half back. Nodes find the timers when they take the partition, or when they look for near ones again.
 */
export async function turnClock(
  database: Database,
  { project_id }: Pick<Tenant, 'project_id'>,
  timers: string,
  [table, column]: [table: string, column: string],
): Promise<void> {
  const back = `interval '90 minutes'`
  await database.execute(
    `update timer set due_at = due_at - ${back} where address = 'project/${project_id}' and name like '${timers}%'`,
  )
  await database.execute(
    `update ${table} set ${column} = ${column} - ${back} where project_id = '${project_id}' and ${column} is not null`,
  )
}

/** An agent with a ticket on two nodes. `handOver` stops the owner of the project and resolves to the agent at the other. */
export async function onTwoNodes(t: Judge, phone: string) {
  const { world, nodes, http, config, ownerOf } = await startCluster(t)
  const database = await openDatabase({ url: config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const tenant = await makeTenant(world)
  const ana = await inboxAgent(world, tenant)
  const ticket_id = await ticketOf(tenant, ana, phone)
  const at = ({ base_url }: ClusterNode) => agentAt({ http, base_url }, tenant, ana)
  async function handOver(): Promise<InboxAgent> {
    const owner = (await ownerOf(`project/${tenant.project_id}`))!
    await owner.stop()
    return at(nodes.find((node) => node !== owner)!)
  }
  return { database, tenant, ana, ticket_id, nodes, at, handOver }
}

/** A moment in so many milliseconds, as clients write it. */
export const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

/** Asks for a moment so soon that it can be waited for, and later where the machine was too slow to ask in time. */
export async function soon(ask: (at: string) => Promise<Answer>): Promise<Json> {
  for (let ms = 300; ; ms *= 2) {
    const { status, body, text } = await ask(inMs(ms))
    if (status < 300) return body
    if (!text.includes('must be in the future') || ms > 30_000) throw new Error(`refused with ${status}: ${text}`)
  }
}
