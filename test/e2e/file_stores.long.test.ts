/** Nodes that keep uploaded files in separate stores miss each other's files. Only a warning tells. */
import { hostname } from 'node:os'
import t from 'tap'
import { silentLog } from '../../runtime/mod.ts'
import { run } from '../cli/command.ts'
import { tempDir } from '../support/mod.ts'
import { eventually } from './client.ts'
import { startCluster } from './cluster.ts'
import { OPERATOR_KEY } from './fixture.ts'

const APART =
  /^The nodes keep uploaded files in 2 stores, .*: file:\w+ \(.+:\d+\) and file:\w+ \(.+:\d+\)\. Set PARLEY_BLOB_URL /

t.test('log, readiness, operator API and command warn of two stores', async (t) => {
  const said: string[] = []
  const log = { ...silentLog, error: (_: object, message: string) => void said.push(message) }
  const { nodes, http } = await startCluster(t, { log, config_of: () => ({ data_dir: tempDir(t) }) })
  for (const { base_url } of nodes) {
    const ready = await eventually('it has heard the other', async () => {
      const answer = await http('GET', `${base_url}/ready`)
      return answer.body.warnings && answer
    })
    t.equal(ready.status, 200, 'each node stays ready')
    t.match(ready.body.warnings, [/^The nodes keep uploaded files apart, .*\. Set PARLEY_BLOB_URL /])
    t.notMatch(ready.text, hostname(), 'the public answer names no machine')
  }
  t.match(said, [APART, APART])
  const [node] = nodes as [(typeof nodes)[number]]
  t.match((await node.operator('GET', 'cluster')).body.warnings, [APART])
  const shown = await run(['cluster', 'status', '--base-url', node.base_url, '--operator-key', OPERATOR_KEY])
  t.match(shown, { code: 0, out: /\nThe nodes keep uploaded files in 2 stores, / })
  await nodes[1]!.stop()
  await eventually('the warning ends with its cause', async () => {
    return (await http('GET', `${node.base_url}/ready`)).body.warnings === undefined
  })
})

t.test('one common store brings no warning', async (t) => {
  const { nodes, http } = await startCluster(t)
  const { body } = await nodes[0]!.operator('GET', 'cluster')
  t.strictSame(body.warnings, [])
  t.equal(new Set(body.nodes.map(({ files }: { files: string }) => files)).size, 1)
  t.strictSame((await http('GET', `${nodes[1]!.base_url}/ready`)).body.warnings, undefined)
})
