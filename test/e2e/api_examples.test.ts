/**
 * Every operation of the descriptions is called with its example, on records that the examples name, and answers with
 * its status of success. The client compares each answer with the description (`test/support/drift.ts`).
 *
 * With `TAP_SNAPSHOT=1` the answers become the examples of the descriptions (`http/openapi/recorded/`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { type ApiName, recordedFile } from '../../http/openapi/apis.ts'
import type { DescribedOperation } from '../../http/openapi/describe.ts'
import { compactJson } from '../support/compact_json.ts'
import { apiNames } from '../support/described.ts'
import { call } from './api_examples/calls.ts'
import { Recorder } from './api_examples/recorded.ts'
import { makeRecords, type Places } from './api_examples/records.ts'
import { kindOf, SAMPLED } from './api_examples/sampled.ts'
import { operations, startScene } from './api_examples/scene.ts'
import { eventually, type Json, sleep } from './client.ts'
import { ConsoleMirror } from './console_mirror.ts'
import { openConsole, signedIn } from './console_socket.ts'
import { made } from './fixture.ts'

const is_recording = process.env.TAP_SNAPSHOT === '1'
const { world, tenant, tools, database, prepared } = await startScene(t)
const agent = await openConsole(t, world.base_url, (await signedIn(world, tenant)).cookie)
await agent.ask('watch', { project_id: tenant.project_id })
const places = await makeRecords(world, tenant, tools, database)
const recorder = new Recorder(places)
const recorded: Record<ApiName, Record<string, Json>> = { v1: {}, admin: {} }

/** Descriptions, which would contain themselves, and schemas, which linters take for those of the description. */
const UNRECORDED = ['get_openapi', 'get_operator_openapi', 'list_event_types']

/** Records are removed after everything else was done with them, and the node gives its partitions away last. */
const rank = ({ method, id }: DescribedOperation) => (id === 'drain_node' ? 2 : method === 'DELETE' ? 1 : 0)
const ordered = operations.toSorted((a, b) => rank(a) - rank(b))

const ask = (operation: DescribedOperation, here: Places, headers: Record<string, string> = {}) =>
  call(world, tenant, operation, here, { headers })

t.test('a sample of each kind of operation is run', (t) => {
  const kinds = new Set(operations.filter(({ id }) => SAMPLED.includes(id)).map((one) => kindOf(one, world.base_url)))
  for (const operation of operations) {
    const kind = kindOf(operation, world.base_url)
    t.ok(kinds.has(kind), `${operation.id}: sample one ${kind}`)
  }
  t.end()
})

t.test('every example is answered with success', async (t) => {
  for (const operation of ordered) {
    // Work that goes on after an answer would show in the next ones, now more and now less.
    if (is_recording) await sleep(250)
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

t.test('every change that the operations made is published to the consoles', async (t) => {
  const rows = await database.execute<{ id: string }>(
    'select distinct chat_user as id from message where broadcast_id is not null',
  )
  let wrong: string[] = []
  const isSame = async () => {
    const mirror = new ConsoleMirror()
    mirror.apply(agent.events())
    wrong = await mirror.differences(
      tenant,
      rows.map(({ id }) => id),
    )
    return wrong.length === 0
  }
  await eventually('the console has the records of the API', isSame).catch(() => t.same(wrong, []))
  t.ok(agent.events().length > 50)
})

async function anotherToken(): Promise<string> {
  const { project_id, user_id } = tenant
  return (await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'Other', scopes: [] }))).token
}

t.test('the answers are the examples of the descriptions', (t) => {
  for (const name of apiNames) {
    if (is_recording) {
      writeFileSync(recordedFile(name), `${compactJson(recorded[name])}\n`)
    }
    const kept = JSON.parse(readFileSync(recordedFile(name), 'utf8'))
    t.strictSame(Object.keys(kept), Object.keys(recorded[name]), `${name}: record them anew with TAP_SNAPSHOT=1`)
  }
  t.end()
})
