/** The command line of the inspector works with a whole Parley. */
import t from 'tap'
import type { Json } from '../e2e/client.ts'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import { addDocument } from '../e2e/knowledge_client.ts'
import { judge } from './judges.ts'

const INSPECTOR = '@modelcontextprotocol/inspector'

const world = await startWorld(t)
const tenant = await makeTenant(world)
const id = await addDocument(tenant, 'Returns', 'Within 30 days.')

/** Runs the command line. */
function inspect(...options: string[]) {
  const url = `${world.base_url}/v1/mcp`
  return judge(
    INSPECTOR,
    '--cli',
    url,
    '--transport',
    'http',
    ...options,
    '--header',
    `Authorization: Bearer ${tenant.token}`,
  )
}

async function answer(...options: string[]): Promise<Json> {
  const { code, output, text } = await inspect(...options)
  if (code !== 0) throw new Error(`${options.join(' ')} ended with ${code}: ${output}`)
  return JSON.parse(text)
}

t.test('lists', async (t) => {
  const { tools } = await answer('--method', 'tools/list')
  t.equal(tools.length, 25)
  t.match(await answer('--method', 'resources/list'), { resources: [{ name: 'Returns' }] })
  t.match(await answer('--method', 'resources/templates/list'), { resourceTemplates: [{ name: 'knowledge_document' }] })
})

t.test('finds no tool schema that some clients could not use', async (t) => {
  const { code, output } = await inspect('--method', 'tools/list', '--strict', '--header', 'X-MCP-Toolsets: all')
  t.equal(code, 0, output)
})

t.test('calls', async (t) => {
  const me = await answer('--method', 'tools/call', '--tool-name', 'get_me')
  t.match(me.structuredContent, { project: { id: tenant.project_id } })
  const found = await answer('--method', 'tools/call', '--tool-name', 'api_search', '--tool-arg', 'query=webhook')
  t.match(found.structuredContent, { operations: [{ operation: /webhook/ }] })
  const read = await answer('--method', 'resources/read', '--uri', `parley://knowledge/${id}`)
  t.match(read, { contents: [{ text: 'Within 30 days.' }] })
})
