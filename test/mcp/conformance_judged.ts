/**
 * The public conformance suite judges the endpoint: with its fixture tools in the place of ours whatever a revision
 * requires, and with our own tools the scenarios that need no fixture.
 */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { scopes } from '../../actors/mod.ts'
import { type Mcp, mcpRoute } from '../../http/mcp/mcp_route.ts'
import { silentLog } from '../../runtime/mod.ts'
import { admitting, startTestServer } from '../http/test_server.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { root } from '../support/root.ts'
import { fixtureServer } from './fixture_tools.ts'
import { startFront } from './front.ts'
import { judge } from './judges.ts'

const SUITE = '@modelcontextprotocol/conformance'
const base_url = 'http://localhost'

/** The address of a node with the route. */
async function serve(t: Test, { route, stop }: Mcp): Promise<string> {
  const { port, tenant } = await startTestServer(t, {
    routes: [route],
    project: (message) =>
      message.command?.type === 'read_identity'
        ? { admission: { ok: true }, result: { body: { scopes } } }
        : admitting(message),
  })
  const front = await startFront(port, tenant.secret)
  t.teardown(() => {
    stop()
    front.close()
  })
  return front.url
}

t.test('with fixtures, all that a revision requires', async (t) => {
  const url = await serve(t, mcpRoute({ routes: [], base_url, log: silentLog }, fixtureServer))
  for (const revision of ['2026-07-28', '2025-11-25']) {
    const exceptions = join(root, `test/mcp/exceptions-${revision}.yaml`)
    const options = ['--url', url, '--requirements', revision, '--expected-failures', exceptions]
    const { code, output } = await judge(SUITE, 'server', ...options)
    t.equal(code, 0, output.slice(output.indexOf('=== SUMMARY')))
    t.match(output, /Total: \d+ passed/)
  }
})

t.test('with our own tools, the scenarios without fixtures', async (t) => {
  const url = await serve(t, mcpRoute({ routes: allRoutes(), base_url, log: silentLog }))
  const scenarios = {
    '2026-07-28': [
      'tools-list',
      'resources-list',
      'sep-2164-resource-not-found',
      'dns-rebinding-protection',
      'http-header-validation',
      'input-required-result-unsupported-methods',
    ],
    '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
  }
  for (const [revision, names] of Object.entries(scenarios)) {
    for (const name of names) {
      const options = ['--url', url, '--scenario', name, '--spec-version', revision]
      const { code, output } = await judge(SUITE, 'server', ...options)
      t.equal(code, 0, `${revision} ${name}: ${output.slice(-3000)}`)
    }
  }
})
