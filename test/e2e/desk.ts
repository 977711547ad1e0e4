/** An agent with the requests of a project of the console, and with a socket that watches it. */
import type { Owner } from '../support/mod.ts'
import { type Call, eventually, type Json } from './client.ts'
import { makeAgent, type Place, signIn } from './console_client.ts'
import { openConsole } from './console_socket.ts'
import { made, type Outside, type Tenant } from './fixture.ts'

export type Desk = Awaited<ReturnType<typeof makeDesk>>

export async function makeDesk(
  world: Place & Pick<Outside, 'http' | 'base_url'>,
  { company_id, project_id }: Pick<Tenant, 'company_id' | 'project_id'>,
  full_name = 'Ana Agent',
) {
  const agent = await makeAgent(world, { company_id }, { full_name })
  const { call, cookie } = await signIn(world, agent as { email: string })
  return {
    user_id: agent._id as string,
    full_name,
    /** Calls `path` below the project of the console. */
    ask: (method: string, path: string, json?: unknown, more: Call = {}) =>
      call(method, `projects/${project_id}/${path}`, { json, ...more }),
    /** Opens a socket that watches the project. Resolves to a look at the events of these types so far. */
    async watch(t: Owner, ...types: string[]) {
      const { ask, events, caughtUp } = await openConsole(t, world.base_url, cookie)
      const { error } = await ask('watch', { project_id })
      if (error) throw new Error(`not watched: ${JSON.stringify(error)}`)
      const heard = (): Json[] => events().filter(({ type }) => types.includes(type))
      return {
        heard,
        caughtUp,
        until: (count: number) => eventually(`${count} events`, () => heard().length >= count && heard()),
      }
    },
  }
}

/** Lets a person write. Resolves to the open ticket of this person. */
export async function ticketOf(tenant: Tenant, phone: string): Promise<Json> {
  await tenant.writes(phone, 'Where is my order?', { name: 'Zora' })
  const [contact] = (await made(tenant.api('GET', `contacts?search=${phone.slice(1)}`))).data
  return (await made(tenant.api('GET', `crm/tickets?chat_user=${contact._id}`))).data[0]
}
