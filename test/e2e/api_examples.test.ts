/**
 * Every operation of the descriptions is called with its example, on records that the examples name, and answers with
 * its status of success. The client compares each answer with the description (`test/support/drift.ts`).
 *
 * With `TAP_SNAPSHOT=1` the answers become the examples of the descriptions (`http/openapi/recorded/`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { exampleIds } from '../../actors/mod.ts'
import { type ApiName, recordedFile } from '../../http/openapi/apis.ts'
import { type DescribedOperation, describeApi } from '../../http/openapi/describe.ts'
import { callOf, EXAMPLE_KEY } from '../../http/openapi/samples/call.ts'
import { samplesOf } from '../../http/openapi/samples/samples.ts'
import { openDatabase } from '../../storage/mod.ts'
import { upload } from '../http/media_client.ts'
import { apiNames, describableRoutes } from '../support/described.ts'
import { tempDir } from '../support/mod.ts'
import { call, textPlaced } from './api_examples/calls.ts'
import { preparations } from './api_examples/preparations.ts'
import { Recorder } from './api_examples/recorded.ts'
import { makeRecords, type Places, PNG } from './api_examples/records.ts'
import { runSamples } from './api_examples/run_samples.ts'
import { eventually, type Json, sleep } from './client.ts'
import { ConsoleMirror } from './console_mirror.ts'
import { openConsole, signedIn } from './console_socket.ts'
import { made, makeTenant, OPERATOR_KEY, startWorld } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const is_recording = process.env.TAP_SNAPSHOT === '1'
// A node to itself, because it waits until the work of all tenants has ended.
const world = await startWorld(t)
const tenant = await makeTenant(world)
const tools = await startToolServer(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const agent = await openConsole(t, world.base_url, (await signedIn(world, tenant)).cookie)
await agent.ask('watch', { project_id: tenant.project_id })
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

/** One operation of each kind of request and answer. None of them changes what the examples need. */
const SAMPLED = [
  ...['list_contacts', 'search_crm', 'create_note', 'update_contact', 'search_knowledge', 'delete_knowledge_node'],
  ...['upload_media', 'download_media', 'delete_media', 'redeliver_webhook_delivery', 'download_broadcast_recipients'],
  ...['save_block_content', 'get_openapi', 'create_company', 'get_company', 'update_company', 'delete_company'],
  ...['check_channel', 'save_content_of_block', 'get_knowledge_tree_of_project', 'download_export'],
]

function kindOf(operation: DescribedOperation): string {
  const { method, url, headers, json, form, answer } = callOf(operation, world.base_url)
  const body = form ? 'form' : json === undefined ? 'no body' : 'JSON'
  const query = url.includes('?') ? 'query' : 'no query'
  return [method, operation.auth, body, query, answer, headers['Idempotency-Key'] ? 'key' : 'no key'].join(', ')
}

// Samples add to the records, and recorded answers show the records.
if (!is_recording) t.test('the samples of each language run as they are', samplesRun)

async function samplesRun(t: Test): Promise<void> {
  const sampled = operations.filter(({ id }) => SAMPLED.includes(id))
  const kinds = new Set(sampled.map(kindOf))
  for (const operation of operations)
    t.ok(kinds.has(kindOf(operation)), `${operation.id}: sample one ${kindOf(operation)}`)
  const env = { PARLEY_TOKEN: tenant.token, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  for (const lang of ['TypeScript', 'Shell', 'Python']) {
    const sources: Record<string, string> = {}
    for (const operation of sampled) {
      const own = operation.id === 'delete_media' ? await anotherFile() : await prepared[operation.id]?.()
      const sample = samplesOf(operation, world.base_url).find((one) => one.lang === lang)!
      sources[operation.id] = textPlaced(sample.source, { ...places, ...own, [EXAMPLE_KEY]: `in ${lang}` })
    }
    const failures = await runSamples(lang, sources, tempDir(t), env)
    if (failures === undefined) t.comment(`this machine cannot run the samples in ${lang}`)
    else t.strictSame(failures, [], lang)
  }
}

async function anotherFile(): Promise<Places> {
  return { [exampleIds.media]: (await made(upload(tenant, PNG, { part_type: 'image/png' }))).media_id }
}

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
      writeFileSync(recordedFile(name), `${JSON.stringify(recorded[name], null, 1)}\n`)
    }
    const kept = JSON.parse(readFileSync(recordedFile(name), 'utf8'))
    t.strictSame(Object.keys(kept), Object.keys(recorded[name]), `${name}: record them anew with TAP_SNAPSHOT=1`)
  }
  t.end()
})
