/** The MCP endpoint, seen by the official client in both revisions. */
import t from 'tap'
import { upload } from '../http/media_client.ts'
import { ORDER } from './broadcast_client.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { addDocument, addFolder } from './knowledge_client.ts'
import { connectMcp, type Revision } from './mcp_client.ts'

const REVISIONS: Revision[] = ['2026-07-28', '2025-11-25']

const world = await joinWorld(t)
// Its minute has two requests: calls of tools draw on no limit.
const limits = { minute: 1000, hour: 1000, day: 1000 }
const tenant = await makeTenant(world, limits)
const fields = { channel_type: 'whatsapp', user_id: '5215550001111', name: 'Ana' }
const contact = await made(tenant.api('POST', 'contacts', fields))

const errorOf = ({ isError, content }: Json) => isError && JSON.parse(content[0].text).error
const remaining = async () => (await tenant.api('GET', 'me')).headers['x-ratelimit-remaining-minute']

/** A token of the tenant with these scopes. */
async function tokenWith(...scopes: string[]): Promise<string> {
  const { project_id, user_id } = tenant
  return (await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'Narrow', scopes }))).token
}

t.test('beyond the limits of the project, the other methods are still answered with 405', async (t) => {
  const spent = await makeTenant(world, { minute: 1, hour: 1, day: 1 })
  await spent.api('GET', 'me')
  t.equal((await spent.api('GET', 'me')).status, 429)
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await spent.api(method, 'mcp')
    t.same([status, headers.allow], [405, 'POST, OPTIONS'], method)
  }
  t.equal((await spent.api('DELETE', 'me')).status, 429, 'as every other unknown method')
})

t.test('errors of the protocol itself have codes of JSON-RPC', async (t) => {
  const both = { accept: 'application/json, text/event-stream' }
  const call = (method: string) => ({ jsonrpc: '2.0', id: 1, method })
  const own = 'io.modelcontextprotocol'
  const about = { protocolVersion: REVISIONS[0], clientInfo: { name: 'raw', version: '1' }, clientCapabilities: {} }
  const _meta = Object.fromEntries(Object.entries(about).map(([name, value]) => [`${own}/${name}`, value]))
  const unknown = { ...call('no/such'), params: { _meta } }
  const modern = { ...both, 'mcp-protocol-version': REVISIONS[0]!, 'mcp-method': 'no/such' }
  const cases: [string, unknown, Record<string, string>, number, number][] = [
    ['a list', [], both, 400, -32_600],
    ['a page of another site', call('ping'), { ...both, origin: 'http://evil.example' }, 403, -32_600],
    ['an unknown method', unknown, modern, 404, -32_601],
    ['a client that takes neither', call('ping'), { accept: 'text/plain' }, 406, -32_000],
  ]
  for (const [what, json, headers, status, code] of cases) {
    const answer = await tenant.api('POST', 'mcp', json, { headers })
    t.same([answer.status, answer.body.error.code], [status, code], what)
  }
})

for (const revision of REVISIONS) {
  t.test(`${revision}: a client lists and calls tools`, async (t) => {
    const client = await connectMcp(t, world, tenant, { revision })
    t.equal(client.getNegotiatedProtocolVersion(), revision)
    t.match(client.getServerVersion(), { name: 'parley' })
    const { tools } = await client.listTools()
    t.match(
      tools.map(({ name }) => name).filter((_, at) => at < 2 || at > 22),
      ['search_crm', 'list_contacts', 'api_search', 'api_call'],
      'in the order of the list',
    )
    const before = Number(await remaining())
    const found = await client.callTool({ name: 'get_contact', arguments: { id: contact._id } })
    t.same(found.structuredContent, (await tenant.api('GET', `contacts/${contact._id}`)).body)
    const missing = await client.callTool({ name: 'get_contact', arguments: { id: 'f'.repeat(24) } })
    t.match(errorOf(missing), { code: 'NOT_FOUND' })
    for (const sent of [{}, { id: [contact._id] }, { id: 'a\r\nb' }, { id: '../me' }]) {
      const { code } = errorOf(await client.callTool({ name: 'get_contact', arguments: sent }))
      t.match(code, /^(?:VALIDATION_ERROR|NOT_FOUND)$/, JSON.stringify(sent))
    }
    const listed = await client.callTool({ name: 'list_contacts', arguments: { search: 'an', limit: 1 } })
    t.match(listed.structuredContent, { total: 1, limit: 1, data: [{ _id: contact._id }] })
    t.equal(before - Number(await remaining()), 2, 'the two requests over HTTP counted, and the tools did not')
  })

  t.test(`${revision}: what cannot be undone is confirmed`, async (t) => {
    const id = await addDocument(tenant, `Doomed ${revision}`, 'words')
    const call = { name: 'delete_knowledge_node', arguments: { id } }
    const exists = async () => (await tenant.api('GET', `knowledge/nodes/${id}`)).status === 200
    const asked: string[] = []
    if (revision === '2026-07-28') {
      let agrees = false
      const user = (message: string) => {
        asked.push(message)
        return agrees ? { action: 'accept', content: { confirm: true } } : { action: 'decline' }
      }
      const client = await connectMcp(t, world, tenant, { revision, user })
      t.match(errorOf(await client.callTool(call)), { code: 'DECLINED' })
      t.match(asked, [new RegExp(`delete_knowledge_node.*${id}`)])
      t.ok(await exists())
      agrees = true
      const generic = { name: 'api_call', arguments: { operation: call.name, arguments: call.arguments } }
      t.notOk((await client.callTool(generic)).isError)
    } else {
      const client = await connectMcp(t, world, tenant, { revision })
      const { code, details } = errorOf(await client.callTool(call))
      t.equal(code, 'CONFIRMATION_REQUIRED')
      t.ok(await exists())
      const confirm = (changes: Json) =>
        client.callTool({ ...call, arguments: { ...call.arguments, confirmation: details.confirmation, ...changes } })
      const other = await addDocument(tenant, 'Innocent', 'words')
      t.match(errorOf(await confirm({ id: other })), { code: 'CONFIRMATION_INVALID' }, 'for other arguments')
      const forged = `${details.confirmation.slice(0, -2)}AA`
      t.match(errorOf(await confirm({ confirmation: forged })), { code: 'CONFIRMATION_INVALID' }, 'altered')
      const stranger = await connectMcp(t, world, tenant, { revision, token: await tokenWith('knowledge:delete') })
      const stolen = { ...call, arguments: { ...call.arguments, confirmation: details.confirmation } }
      t.match(errorOf(await stranger.callTool(stolen)), { code: 'CONFIRMATION_INVALID' }, 'of another token')
      t.notOk((await confirm({})).isError)
    }
    t.notOk(await exists())
  })
}

t.test('what is confirmed again under the same idempotency key takes effect once', async (t) => {
  const { id } = await tenant.subscribe('mcp-rotated', ['crm.note.created'])
  const asking = await connectMcp(t, world, tenant, { user: () => ({ action: 'accept', content: { confirm: true } }) })
  const blind = await connectMcp(t, world, tenant, { revision: '2025-11-25' })
  const call = { name: 'rotate_webhook_secret', arguments: { id, idempotency_key: 'rotation 7' } }
  const rotate = async () => {
    const { confirmation } = errorOf(await blind.callTool(call)).details
    return blind.callTool({ ...call, arguments: { ...call.arguments, confirmation } })
  }
  const { secret } = (await rotate()).structuredContent as Json
  t.match(secret, /^whsec_/)
  t.match((await rotate()).structuredContent, { secret }, 'with another confirmation')
  t.match((await asking.callTool(call)).structuredContent, { secret }, 'confirmed by the user')
})

t.test('a confirmation takes effect once, whatever the method', async (t) => {
  const { assistant } = await made(tenant.api('POST', 'assistants', { name: 'Helper' }))
  const blocks = `assistants/${assistant._id}/blocks`
  const [{ _id: block_id }] = (await made(tenant.api('GET', blocks))).data
  const isAttached = async () => (await made(tenant.api('GET', blocks))).data.some(({ _id }: Json) => _id === block_id)
  const client = await connectMcp(t, world, tenant, { revision: '2025-11-25' })
  const detach = (confirmation?: string) => {
    const sent = { id: assistant._id, block_id, ...(confirmation !== undefined && { confirmation }) }
    return client.callTool({ name: 'api_call', arguments: { operation: 'detach_block', arguments: sent } })
  }
  const { confirmation } = errorOf(await detach()).details
  t.notOk((await detach(confirmation)).isError)
  t.notOk(await isAttached())
  await made(tenant.api('POST', blocks, { block_id }))
  t.notOk((await detach(confirmation)).isError, 'the answer is repeated')
  t.ok(await isAttached(), 'and the block stays')
  const again = errorOf(await detach()).details
  t.notOk((await detach(again.confirmation)).isError)
  t.notOk(await isAttached(), 'with another confirmation')
})

t.test('a call that would be refused puts no question to the user', async (t) => {
  const asked: string[] = []
  const user = (message: string) => {
    asked.push(message)
    return { action: 'accept', content: { confirm: true } }
  }
  const all = await connectMcp(t, world, tenant, { user })
  const narrow = await connectMcp(t, world, tenant, { user, token: await tokenWith('knowledge:read') })
  const blind = await connectMcp(t, world, tenant, { revision: '2025-11-25' })
  const refused: [typeof all, name: string, sent: Json, code: string][] = [
    [all, 'send_bulk', { ...ORDER, recipients: [] }, 'VALIDATION_ERROR'],
    [all, 'send_bulk', { ...ORDER, recipients: [{ phone: '+5215550002222' }], colour: 'red' }, 'VALIDATION_ERROR'],
    [all, 'delete_knowledge_node', {}, 'VALIDATION_ERROR'],
    [all, 'delete_knowledge_node', { id: 'x' }, 'NOT_FOUND'],
    [narrow, 'delete_knowledge_node', { id: 'f'.repeat(24) }, 'INSUFFICIENT_SCOPE'],
    [blind, 'rotate_webhook_secret', { id: 'wh_1', grace_s: -1 }, 'VALIDATION_ERROR'],
  ]
  for (const [client, name, sent, code] of refused) {
    t.match(errorOf(await client.callTool({ name, arguments: sent })), { code }, `${name} ${JSON.stringify(sent)}`)
  }
  t.same(asked, [])
})

t.test('a state of a confirmation that was altered, or is for other arguments, is refused', async (t) => {
  const post = (params: Json) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }
    const headers = {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': params.name,
    }
    return tenant.api('POST', 'mcp', json, { headers })
  }
  const id = await addDocument(tenant, 'Also doomed', 'words')
  const call = { name: 'delete_knowledge_node', arguments: { id } }
  const { result } = (await post(call)).body
  t.match(result, { resultType: 'input_required', inputRequests: { confirm: { method: 'elicitation/create' } } })
  const { requestState } = result
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } }
  const refused = { error: { code: -32602, data: { reason: 'invalid_request_state' } } }
  for (const [why, params] of Object.entries({
    altered: {
      ...call,
      inputResponses,
      requestState: `${requestState.slice(0, -1)}${requestState.endsWith('A') ? 'E' : 'A'}`,
    },
    'of another kind': { ...call, inputResponses, requestState: 'c1.9999999999.x.y' },
    'for other arguments': { ...call, arguments: { id: 'f'.repeat(24) }, inputResponses, requestState },
    'for another tool': { ...call, name: 'delete_webhook', inputResponses, requestState },
  })) {
    t.match((await post(params)).body, refused, why)
  }
  const smuggled = { ...call, arguments: { id, confirmation: requestState } }
  t.match(
    (await post(smuggled)).body,
    { result: { resultType: 'input_required' } },
    'a model cannot agree for its user',
  )
  t.match((await post({ ...call, inputResponses, requestState })).body, { result: { content: [{ text: 'Done.' }] } })
})

t.test('a broadcast that is confirmed twice is sent once', async (t) => {
  const client = await connectMcp(t, world, tenant, { revision: '2025-11-25' })
  const recipients = [{ phone: '+5215550002222' }]
  const call = { name: 'send_bulk', arguments: { ...ORDER, recipients } }
  const { confirmation } = errorOf(await client.callTool(call)).details
  const progress: Json[] = []
  const confirm = () =>
    client.callTool(
      { ...call, arguments: { ...call.arguments, confirmation } },
      { onprogress: (one) => progress.push(one) },
    )
  const [first, second] = [await confirm(), await confirm()]
  t.match(progress.at(-1), { progress: 1, total: 1, message: /^1 of 1 sent/ })
  t.notOk(first.isError, JSON.stringify(first.content))
  t.same(second.structuredContent, first.structuredContent)
})

t.test('a token sees and reaches what its scopes allow', async (t) => {
  const client = await connectMcp(t, world, tenant, { token: await tokenWith('contacts:read') })
  const names = (await client.listTools()).tools.map(({ name }) => name)
  t.same(names, ['list_contacts', 'get_contact', 'get_me', 'api_search', 'api_call'])
  const refused = await client.callTool({ name: 'api_call', arguments: { operation: 'list_tickets' } })
  t.match(errorOf(refused), { code: 'INSUFFICIENT_SCOPE', details: { missing: ['crm:tickets:read'] } })
  const found = await client.callTool({ name: 'api_search', arguments: { query: 'tickets' } })
  t.same((found.structuredContent as Json).operations, [])
  t.same((await client.listResources()).resources, [], 'documents need the scope knowledge:read')
})

t.test('headers choose the tools, and reading only wins', async (t) => {
  const headers = { 'x-mcp-toolsets': 'webhooks', 'x-mcp-tools': 'create_note', 'x-mcp-readonly': 'true' }
  const client = await connectMcp(t, world, tenant, { headers })
  const { tools } = await client.listTools()
  t.match(tools[0], { name: 'list_webhooks', annotations: { readOnlyHint: true } })
  t.ok(
    tools.every(({ annotations }) => annotations?.readOnlyHint),
    'create_note was asked for by name, and is not offered',
  )
  for (const name of ['create_note', 'delete_webhook']) {
    t.match(errorOf(await client.callTool({ name, arguments: {} })), { code: 'READ_ONLY' })
    const inner = { name: 'api_call', arguments: { operation: name, arguments: {} } }
    t.match(errorOf(await client.callTool(inner)), { code: 'READ_ONLY' })
  }
  const all = await connectMcp(t, world, tenant, { headers: { 'x-mcp-toolsets': 'all' } })
  t.ok((await all.listTools()).tools.length > 80)
  const wrong = await connectMcp(t, world, tenant, { headers: { 'x-mcp-toolsets': 'tickts' } })
  await t.rejects(wrong.listTools(), /There is no toolset tickts/)
})

t.test('every operation is found by its name, and is called', async (t) => {
  const client = await connectMcp(t, world, tenant)
  const all = await connectMcp(t, world, tenant, { headers: { 'x-mcp-toolsets': 'all' } })
  const names = (await all.listTools()).tools.map(({ name }) => name).filter((name) => !name.startsWith('api_'))
  for (const name of names) {
    const { structuredContent } = await client.callTool({ name: 'api_search', arguments: { query: name, limit: 1 } })
    t.match((structuredContent as Json).operations, [{ operation: name, arguments: { type: 'object' } }])
  }
  const call = async (operation: string, sent: Json) =>
    client.callTool({ name: 'api_call', arguments: { operation, arguments: sent } })
  const file = { filename: 'hours.txt', content_type: 'text/plain', text: 'Open from nine to five.' }
  const uploaded = (await call('upload_media', { file })).structuredContent as Json
  t.match(uploaded, { media_id: String })
  const { content } = await call('download_media', {
    mediaId: uploaded.media_id,
    phone_number_id: tenant.number.phone_number_id,
  })
  t.match(content, [{ type: 'resource', resource: { blob: Buffer.from(file.text).toString('base64') } }])
  const large = await upload(tenant, Buffer.alloc(1_100_000, '%PDF-1.4 '), { part_type: 'application/pdf' })
  const { phone_number_id } = tenant.number
  const refused = await call('download_media', { mediaId: large.body.media_id, phone_number_id })
  t.match(errorOf(refused), { code: 'ANSWER_TOO_LARGE' })
  const unknown = await call('get_contact', { id: contact._id, colour: 'red' })
  t.match(errorOf(unknown), { code: 'VALIDATION_ERROR', message: /colour .*the parameters are id/ })
  const event = { event_type: 'custom.seen_by_mcp', data: { at: 'the door' }, chat_user_id: contact._id }
  const missing = await client.callTool({ name: 'record_event', arguments: event })
  t.match(errorOf(missing), { code: 'EVENT_TYPE_NOT_FOUND' }, 'the arguments are the fields of the body')
})

t.test('a file that is no base64 is refused and not stored as other bytes', async (t) => {
  const client = await connectMcp(t, world, tenant, { headers: { 'x-mcp-toolsets': 'all' } })
  const upload = (file: Json) => client.callTool({ name: 'upload_media', arguments: { file } })
  const bytes = Buffer.from('Open from nine to five.')
  const base64 = bytes.toString('base64')
  const filename = 'hours.txt'
  for (const damaged of [`data:text/plain;base64,${base64}`, `${base64.slice(0, 6)}*${base64.slice(7)}`, '###']) {
    t.match(errorOf(await upload({ filename, base64: damaged })), {
      code: 'VALIDATION_ERROR',
      details: { violations: [{ path: 'file.base64', code: 'invalid_format' }] },
    })
  }
  const both = errorOf(await upload({ filename, base64, text: 'Open' }))
  t.match(both, { code: 'VALIDATION_ERROR', details: { violations: [{ path: 'file' }] } })
  const wrapped = await upload({ filename, base64: base64.replace(/.{8}/g, '$&\n') })
  t.match(wrapped.structuredContent, { file_size: bytes.length })
})

t.test('documents of the knowledge are resources', async (t) => {
  const sister = await makeTenant(world)
  const folder = await addFolder(sister, 'B folder')
  await addFolder(sister, 'Empty')
  const names = Array.from({ length: 60 }, (_, n) => `A ${String(n).padStart(2, '0')}`)
  for (const name of names) await addDocument(sister, name, `text of ${name}`)
  await addDocument(sister, 'Inner', 'inside', { parent_id: folder })
  await addDocument(sister, 'Z', 'last')
  const client = await connectMcp(t, world, sister)
  const first = await client.request({ method: 'resources/list', params: {} })
  t.equal(first.resources.length, 50)
  const seen = (await client.listResources()).resources
  t.same(
    seen.map(({ name }) => name),
    [...names, 'Inner', 'Z'],
  )
  t.match(await client.readResource({ uri: seen.at(-2)!.uri }), { contents: [{ text: 'inside' }] })
  t.match(await client.listResourceTemplates(), { resourceTemplates: [{ uriTemplate: 'parley://knowledge/{id}' }] })
  const other = await connectMcp(t, world, tenant)
  await t.rejects(other.readResource({ uri: seen[0]!.uri }), /no such resource/i, 'of another project')
  await t.rejects(client.listResources({ cursor: 'x' }), /cursor/)
})

t.test('an import reports its progress until it is done', async (t) => {
  const client = await connectMcp(t, world, tenant)
  const progress: Json[] = []
  const file = { filename: 'guide.md', content_type: 'text/markdown', text: '# Guide\n\nSend it back within 30 days.' }
  const result = await client.callTool(
    { name: 'import_knowledge_file', arguments: { file } },
    { onprogress: (one) => progress.push(one) },
  )
  t.match(progress.at(-1), { progress: 2, total: 2, message: /done/ })
  t.match(JSON.parse((result.content as Json)[1].text), { status: 'done' })
})

t.test("the client's trace goes on in the request of the operation", async (t) => {
  const client = await connectMcp(t, world, tenant)
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
  const _meta = { traceparent: `00-${trace_id}-00f067aa0ba902b7-01` }
  const made = await client.callTool({
    name: 'create_knowledge_node',
    arguments: { type: 'folder', name: 'Traced' },
    _meta,
  })
  t.match(made._meta?.traceparent, new RegExp(`^00-${trace_id}-[0-9a-f]{16}-01$`))
  const { data } = (
    await world.operator('GET', `audit?limit=1&action=create_knowledge_node&project_id=${tenant.project_id}`)
  ).body
  t.match(data[0], { request_id: new RegExp(`^${trace_id}-[0-9a-f]{16}$`), address: '127.0.0.1' })
})

t.test('a document of any script is as long over MCP', async (t) => {
  const client = await connectMcp(t, world, tenant)
  const content = '漢'.repeat(500_000)
  const created = await client.callTool({
    name: 'create_knowledge_node',
    arguments: { type: 'document', name: 'Long', content },
  })
  t.notOk(created.isError)
  const { _id } = created.structuredContent as Json
  t.equal((await tenant.api('GET', `knowledge/nodes/${_id}`)).body.content, content)
})
