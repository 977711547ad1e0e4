/** The official MCP client on the endpoint of a world. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Owner } from '../support/mod.ts'
import type { Json } from './client.ts'
import type { Tenant, World } from './fixture.ts'

export type Revision = '2026-07-28' | '2025-11-25'

export type Connect = {
  revision?: Revision
  token?: string
  headers?: Record<string, string>
  /** Answers the questions to the user. Without it the client cannot ask. */
  user?: (message: string) => Json
}

/** Connects a client, which is closed with the test. */
export async function connectMcp(t: Owner, world: World, tenant: Tenant, options: Connect = {}): Promise<Client> {
  const { revision = '2026-07-28', token = tenant.token, headers = {}, user } = options
  const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy'
  const client = new Client(
    { name: 'the tests', version: '1' },
    { capabilities: user ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } },
  )
  if (user) client.setRequestHandler('elicitation/create', async ({ params }) => user(params.message))
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.base_url}/v1/mcp`), { requestInit }))
  t.teardown(() => client.close())
  return client
}
