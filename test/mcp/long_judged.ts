/** Calls that take longer than the ten seconds after which uWebSockets.js closes a silent connection. */
import { setTimeout as wait } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import t from 'tap'
import { mcpRoute } from '../../http/mcp/mcp_route.ts'
import { silentLog } from '../../runtime/mod.ts'
import { startTestServer } from '../http/test_server.ts'

const LONG_MS = 14_000

const { route } = mcpRoute({ routes: [], base_url: 'http://localhost', log: silentLog }, () => {
  const server = new McpServer({ name: 'slow', version: '1' })
  const inputSchema = fromJsonSchema({ type: 'object' })
  server.registerTool('slow', { inputSchema }, async (_, { mcpReq: { _meta, notify } }) => {
    const progressToken = _meta?.progressToken
    if (progressToken !== undefined) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress: 0 } })
    }
    await wait(LONG_MS)
    return { content: [{ type: 'text', text: 'at last' }] }
  })
  return server
})

t.test('with and without progress, in both revisions', async (t) => {
  const { port, tenant } = await startTestServer(t, { routes: [route] })
  const requestInit = { headers: { authorization: `Bearer ${tenant.secret}` } }
  const clients = [{ pin: '2026-07-28' }, 'legacy' as const].map(async (mode) => {
    const client = new Client({ name: 'patient', version: '1' }, { versionNegotiation: { mode } })
    t.teardown(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/v1/mcp`), { requestInit }))
    return Promise.all([{ onprogress: () => {} }, {}].map((options) => client.callTool({ name: 'slow' }, options)))
  })
  for (const result of (await Promise.all(clients)).flat()) t.match(result, { content: [{ text: 'at last' }] })
})
