/** The MCP endpoint, seen by the official client in both revisions. */
import t from 'tap'
import type { Json } from './client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'
import { addDocument, addFolder } from './knowledge_client.ts'
import { connectMcp, type Revision } from './mcp_client.ts'

const REVISIONS: Revision[] = ['2026-07-28', '2025-11-25']

const world = await startWorld(t)
const tenant = await makeTenant(world)
const contact = await made(
  tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: '5215550001111', name: 'Ana' }),
)

const errorOf = ({ isError, content }: Json) => isError && JSON.parse(content[0].text).error

for (const revision of REVISIONS) {
  t.test(`${revision}: a client lists and calls tools`, async (t) => {
    const client = await connectMcp(t, world, tenant, { revision })
    t.equal(client.getNegotiatedProtocolVersion(), revision)
    t.match(client.getServerVersion(), { name: 'parley' })
    const { tools } = await client.listTools()
    t.match(tools.map(({ name }) => name).slice(0, 2), ['search_crm', 'list_contacts'])
    const found = await client.callTool({ name: 'get_contact', arguments: { id: contact._id } })
    t.same(found.structuredContent, (await tenant.api('GET', `contacts/${contact._id}`)).body)
    const missing = await client.callTool({ name: 'get_contact', arguments: { id: 'f'.repeat(24) } })
    t.match(errorOf(missing), { code: 'NOT_FOUND' })
  })
}
