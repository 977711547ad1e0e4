/**
 * Every operation of the descriptions is called with its example, on records that the examples name, and answers with
 * its status of success. The client compares each answer with the description (`test/support/drift.ts`).
 *
 * With `TAP_SNAPSHOT=1` the answers become the examples of the descriptions (`http/openapi/recorded/`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { type ApiName, recordedFile } from '../../http/openapi/apis.ts'
import { type DescribedOperation, describeApi } from '../../http/openapi/describe.ts'
import { openDatabase } from '../../storage/mod.ts'
import { apiNames, describableRoutes } from '../support/described.ts'
import { call } from './api_examples/calls.ts'
import { preparations } from './api_examples/preparations.ts'
import { Recorder } from './api_examples/recorded.ts'
import { makeRecords, type Places } from './api_examples/records.ts'
import type { Json } from './client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const world = await startWorld(t)
const tenant = await makeTenant(world)
const tools = await startToolServer(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const places = await makeRecords(world, tenant, tools, database)
const prepared = preparations(world, tenant, tools, database)
const recorder = new Recorder(places)
const recorded: Record<ApiName, Record<string, Json>> = { v1: {}, admin: {} }
const { operations } = describeApi(describableRoutes().filter(({ path }) => /^\/(?:admin\/)?v1\//.test(path)))

/** Descriptions, which would contain themselves, and schemas, which linters take for those of the description. */
const UNRECORDED = ['get_openapi', 'get_operator_openapi', 'list_event_types']

/** Records are removed after everything else was done with them, and the node gives its partitions away last. */
const rank = ({ method, id }: DescribedOperation) => (id === 'drain_node' ? 2 : method === 'DELETE' ? 1 : 0)
const ordered = operations.toSorted((a, b) => rank(a) - rank(b))

const ask = (operation: DescribedOperation, here: Places, headers: Record<string, string> = {}) =>
  call(world, tenant, operation, here, { headers })

t.test('every example is answered with success', { timeout: 300_000 }, async (t) => {
  for (const operation of ordered) {
    const { id, status, is_download, is_versioned, method } = operation
    const own = (await prepared[id]?.()) ?? (id === 'revoke_my_token' ? { token: await anotherToken() } : {})
    const here = { ...places, ...own }
    if (is_versioned) t.equal((await ask(operation, here, { 'if-match': '"0"' })).status, 412, `${id}: If-Match`)
    const answer = await ask(operation, here)
    t.equal(answer.status, status, `${id}: ${answer.text.slice(0, 500)}`)
    if (answer.body !== undefined && !UNRECORDED.includes(id)) {
      recorder.learn(own)
      recorded[operation.path.startsWith('/admin/') ? 'admin' : 'v1'][id] = recorder.exampleOf(answer.body)
    }
    if (is_download) t.equal((await ask(operation, here, { range: 'bytes=0-0' })).status, 206, `${id}: Range`)
    const { etag } = answer.headers
    if (etag === undefined || method !== 'GET') continue
    t.equal((await ask(operation, here, { 'if-none-match': etag })).status, 304, `${id}: If-None-Match`)
  }
})

async function anotherToken(): Promise<string> {
  const { project_id, user_id } = tenant
  return (await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'Other', scopes: [] }))).token
}

t.test('the answers are the examples of the descriptions', (t) => {
  for (const name of apiNames) {
    if (process.env.TAP_SNAPSHOT === '1') {
      writeFileSync(recordedFile(name), `${JSON.stringify(recorded[name], null, 1)}\n`)
    }
    const kept = JSON.parse(readFileSync(recordedFile(name), 'utf8'))
    t.strictSame(Object.keys(kept), Object.keys(recorded[name]), `${name}: record them anew with TAP_SNAPSHOT=1`)
  }
  t.end()
})
