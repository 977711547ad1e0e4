/** Tools of assistants as the turns of a conversation call them. */
import { ToolClient } from '../../actors/agent_tools/mod.ts'
import {
  type BoundPerson,
  runTool,
  type ToolCommand,
  type ToolContext,
  type ToolResult,
} from '../../actors/assistants/mod.ts'
import { readToolSet } from '../../actors/assistants/tools/tool_set.ts'
import { OutboundGuard } from '../../actors/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import type { Owner } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, type Tenant, type World } from './fixture.ts'

export const OWN = '+5215550000001'
export const OTHER = '+5215550000002'

/** A person with a ticket, another one, and calls of tools for the first. `commands`: those that the project was asked for. */
export async function startCalls(t: Owner, world: World, tenant: Tenant) {
  const { database_url, secret } = world.config
  const database = await openDatabase({ url: database_url!, secret: secret!, pool_size: 2 })
  t.teardown(() => database.close())
  const client = new ToolClient({ guard: new OutboundGuard({ allow_networks: ['127.0.0.0/8'] }) })
  t.teardown(() => client.close())
  const { company_id, project_id } = tenant
  const contact = (phone: string): Promise<Json> =>
    made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: phone.slice(1), name: `Person ${phone}` }))
  const own = await contact(OWN)
  const other = await contact(OTHER)
  await tenant.writes(OWN.slice(1), { type: 'text', text: { body: 'Hello' } })
  const ticket: Json = await eventually('there is a ticket', async () => {
    const { data } = (await tenant.api('GET', `crm/tickets?chat_user=${own._id}`)).body
    return data[0]
  })
  const person: BoundPerson = {
    contact: { id: own._id, name: 'Ana', phone: OWN, email: null, external_id: null },
    customer_id: null,
    ticket_id: ticket._id,
  }
  const commands: ToolCommand[] = []
  const context = (assistant_id: string): ToolContext => ({
    ...{ database, client, company_id, project_id, assistant_id, person, first_source: 1 },
    webhooks: { mode: 'live' },
    deadline: performance.now() + 20_000,
    async askProject(command) {
      commands.push(command)
      return { body: {} }
    },
  })
  return {
    own,
    other,
    ticket,
    commands,
    assistant: async (fields: Json = {}): Promise<string> =>
      (await made(tenant.api('POST', 'assistants', { name: 'Ana', ...fields }))).assistant._id,
    give: (agent: string, ...tools: string[]) => made(tenant.api('PATCH', `agents/${agent}`, { tools })),
    /** `values`: a text is what the model wrote. */
    call: (
      assistant_id: string,
      name: string,
      values: unknown = {},
      fields: Partial<ToolContext> = {},
    ): Promise<ToolResult> => {
      const written = typeof values === 'string' ? values : JSON.stringify(values)
      return runTool({ id: 'call-1', name, arguments: written }, { ...context(assistant_id), ...fields })
    },
    /** The tools as the model sees them. */
    offered: async (assistant_id: string) =>
      (await readToolSet(database, { company_id, project_id, assistant_id, person }))!.tools,
  }
}
