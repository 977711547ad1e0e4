/** Trials of an assistant: results that stand for those of tools, and contents that are not saved. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const desk = await openDesk(world, tenant, { deployments: [], fields: { settable_ticket_fields: ['priority'] } })
const server = await startToolServer(t)

const reply = (body: Json, options = {}) => tenant.api('POST', `assistants/${desk.id}/reply`, body, options)
const user = (text: string) => ({ role: 'user', text })
const called = () => server.requests.map(({ method, url }) => `${method} ${url}`)

const order = { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] }
const bound = {
  type: 'object',
  properties: { phone: { type: 'string', 'x-parley-bind': 'contact.phone' }, what: { type: 'string' } },
  required: ['phone'],
}
const makeTool = async (name: string, method: string, parameters: Json): Promise<string> =>
  (await made(tenant.api('POST', 'agents/tools', { name, url: server.url(name), method, parameters })))._id
const tools = [
  await makeTool('read_order', 'GET', order),
  await makeTool('cancel_order', 'POST', order),
  await makeTool('read_own', 'GET', bound),
]
await made(tenant.api('PATCH', `agents/${desk.id}`, { tools }))

/** The calls of tools of a reply in which the model calls these. */
async function calling(calls: Json[], body: Json): Promise<Json[]> {
  const mark = `trial ${newPerson()}`
  const tool_calls = calls.map((given) => ({ arguments: {}, ...given }))
  await desk.script(mark, { tool_calls }, { answer: 'Done.' })
  return (await made(reply({ messages: [user(mark)], ...body }))).reply.tool_calls
}

t.test('fixtures stand for the results of tools, and nothing outside is called', async (t) => {
  const fixtures = [
    { tool: 'read_order', arguments: { number: 'A-1' }, result: { state: 'lost' } },
    { tool: 'read_order', result: ['any order'] },
    { tool: 'cancel_order', arguments: { number: 'A-1', sure: { of: [1, 'two'] } }, result: null },
    { tool: 'read_own', arguments: { what: 'name' }, result: 'Ana' },
  ]
  const before = server.requests.length
  const made = await calling(
    [
      { name: 'read_order', arguments: { number: 'A-1', more: true } },
      { name: 'read_order', arguments: { number: 'A-2' } },
      { name: 'read_order', arguments: {} },
      { name: 'cancel_order', arguments: { number: 'A-1', sure: { of: [1, 'two'], and: 1 } } },
      { name: 'cancel_order', arguments: { number: 'A-1', sure: { of: [1, 'two', 3] } } },
      { name: 'cancel_order', arguments: { number: 'A-1' } },
      { name: 'read_own', arguments: { what: 'name' } },
      { name: 'nothing_such' },
    ],
    { tools: { mode: 'fixtures', fixtures } },
  )
  t.same(
    made.map(({ result, error }) => error?.code ?? JSON.parse(result)),
    [{ state: 'lost' }, ['any order'], 'invalid_arguments', null, 'no_fixture', 'no_fixture', 'Ana', 'unknown_tool'],
  )
  t.equal(server.requests.length, before)
})

t.test("Parley's own tools that read are run unless a fixture stands for them; those that write are not", async (t) => {
  const phone = newPerson()
  await desk.says(phone, `Hello, ticket ${phone}`)
  const ticket = await eventually('the ticket is there', () => desk.ticketOf(phone))
  const set = { name: 'parley_set_ticket_fields', arguments: { priority: 'high' } }
  const answer = async (fixtures: Json[]) => {
    await desk.script(`ticket ${phone}`, { tool_calls: [set] }, { answer: 'Done.' })
    const body = { ticket_id: ticket._id, tools: { mode: 'fixtures', fixtures } }
    return (await made(reply(body))).reply.tool_calls
  }
  t.match(await answer([]), [{ name: set.name, error: { code: 'no_fixture' } }])
  const [given] = await answer([{ tool: set.name, result: { is_set: true } }])
  t.same([given!.error, given!.result], [undefined, '{"is_set":true}'])
  t.match(await desk.ticketOf(phone), { priority: ticket.priority })
  await desk.script(`ticket ${phone}`, { tool_calls: [set] }, { answer: 'Done.' })
  const live = await made(reply({ ticket_id: ticket._id, tools: { mode: 'live' } }))
  t.match(live.reply.tool_calls, [{ error: { code: 'nothing_changes' } }])
  t.match(await desk.ticketOf(phone), { priority: ticket.priority })
  const hand_over = { name: 'parley_hand_over', arguments: { reason: 'Wants a person', motivo: 'Money back' } }
  await desk.script(`ticket ${phone}`, { tool_calls: [hand_over] })
  const { reply: left } = await made(reply({ ticket_id: ticket._id, tools: { mode: 'fixtures' } }))
  t.match(left, { outcome: 'handed_over', reason: 'asked' })
})

t.test('live tools are called with any method, by a token that may write assistants', async (t) => {
  const call = { name: 'cancel_order', arguments: { number: 'A-9' } }
  t.match(await calling([call], { tools: { mode: 'read' } }), [{ error: { code: 'nothing_changes' } }])
  t.notMatch(called(), ['POST /cancel_order'])
  const [live] = await calling([call], { tools: { mode: 'live' } })
  t.match(JSON.parse(live!.result), { status: 200, response: { ok: true } })
  t.match(called().at(-1), 'POST /cancel_order')
  const { project_id, user_id } = tenant
  const fields = { project_id, user_id, name: 'Runner', scopes: ['assistants:run'] }
  const { token } = await made(world.operator('POST', 'tokens', fields))
  const messages = [user('Hello')]
  t.match(await reply({ messages, tools: { mode: 'live' } }, { token }), {
    status: 403,
    body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing: ['assistants:write'] } } },
  })
  t.match(await reply({ messages, tools: { mode: 'fixtures' } }, { token }), { status: 200 })
})

t.test('contents are tried, and not saved', async (t) => {
  const { assistant } = await made(tenant.api('GET', `assistants/${desk.id}`))
  const of = (type: string): Json => assistant.blocks.find((block: Json) => block.type === type)
  const [steps, unwritten] = [of('steps'), of('personification')]
  const mark = `tried ${newPerson()}`
  await desk.script(mark, { answer: 'Yes.' })
  const blocks = [
    { block_id: steps._id, content: '1. Answer like a pirate' },
    { block_id: unwritten._id.toUpperCase(), content: 'You are a parrot' },
  ]
  const { reply: answer } = await made(reply({ messages: [user(mark)], blocks }))
  const [{ body }] = (await desk.calls(mark)) as [Json]
  const [system] = body.messages
  t.match(system.content, /# Personality\n\nYou are a parrot\n\n# Steps: Orders\n\n1\. Answer like a pirate/)
  t.notMatch(system.content, /one sentence/)
  const { turn } = await made(tenant.api('GET', `assistants/${desk.id}/turns/${answer.turn_id}`))
  t.same(turn.blocks, [
    { block_id: unwritten._id, version_id: null },
    { block_id: steps._id, version_id: null },
  ])
  const { prompt } = await made(tenant.api('GET', `assistants/${desk.id}/prompt`))
  t.match(prompt, /one sentence/)
  t.equal((await tenant.api('GET', `blocks/${unwritten._id}/content`)).status, 404)
})

t.test('bodies of trials have bounds', async (t) => {
  const { block } = await made(tenant.api('POST', 'blocks/steps', { name: 'Of nobody', content: 'x' }))
  const messages = [user('Hello')]
  const content = { block_id: block._id, content: 'y' }
  t.match(await reply({ messages, blocks: [content] }), {
    status: 422,
    body: { error: { code: 'BLOCK_NOT_FOUND', details: { block_id: block._id } } },
  })
  const fixtures = (list: unknown) => ({ tools: { mode: 'fixtures', fixtures: list } })
  const fixture = { tool: 'read_order', result: 1 }
  const invalid: [Json, string][] = [
    [{ blocks: [content, content] }, 'blocks.1.block_id'],
    [{ blocks: [{ ...content, content: 'x'.repeat(100_001) }] }, 'blocks.0.content'],
    [{ blocks: Array.from({ length: 51 }, () => content) }, 'blocks'],
    [{ tools: {} }, 'tools.mode'],
    [{ tools: { mode: 'all' } }, 'tools.mode'],
    [{ tools: { mode: 'live', fixtures: [] } }, 'tools.fixtures'],
    [fixtures([{ tool: 'read_order' }]), 'tools.fixtures.0.result'],
    [fixtures([{ ...fixture, arguments: [] }]), 'tools.fixtures.0.arguments'],
    [fixtures([{ ...fixture, result: 'é'.repeat(8_192) }]), 'tools.fixtures.0.result'],
    [fixtures([{ ...fixture, arguments: { a: 'é'.repeat(8_192) } }]), 'tools.fixtures.0.arguments'],
    [fixtures([{ ...fixture, tool: 'parley_hand_over' }]), 'tools.fixtures.0.tool'],
    [fixtures(Array.from({ length: 101 }, () => fixture)), 'tools.fixtures'],
  ]
  for (const [more, path] of invalid) {
    const { status, body } = await reply({ messages, ...more })
    t.match([status, body.error?.code], [400, 'VALIDATION_ERROR'], path)
    t.ok(
      body.error?.details.violations.some((one: Json) => one.path === path),
      `${path}: ${JSON.stringify(body.error?.details.violations)}`,
    )
  }
  const full = { block_id: block._id, content: 'x'.repeat(100_000) }
  t.match(await reply({ messages, blocks: Array.from({ length: 45 }, () => full) }), { status: 413 })
})
