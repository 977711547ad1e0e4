/** Agents, which are assistants, and the tools they hold. */
import t from 'tap'
import { everyOutcome } from '../support/mod.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const stranger = await makeTenant(world)
const nobody = 'f'.repeat(24)

const newTool = (fields: Json = {}, by = tenant) =>
  made(by.api('POST', 'agents/tools', { name: 'Look up an order', url: 'https://example.com/orders', ...fields }))
const newAgent = async (by = tenant): Promise<string> =>
  (await made(by.api('POST', 'assistants', { name: 'Ana' }))).assistant._id
const give = (agent: string, tools: unknown, by = tenant) => by.api('PATCH', `agents/${agent}`, { tools })

t.test('an agent holds tools in the order given, and a tool that is left out is taken off it', async (t) => {
  const agent = await newAgent()
  const [one, two, three] = [(await newTool())._id, (await newTool())._id, (await newTool())._id]
  for (const tools of [[one, two], [three, one], [], [two], [two, three, one], [two, three, one]]) {
    const { status, body } = await give(agent, tools)
    t.equal(status, 200)
    t.same(body.assistant.tools, tools)
    t.same((await tenant.api('GET', `assistants/${agent}`)).body.assistant, body.assistant)
    t.same((await tenant.api('GET', `agents/${agent}`)).body, body)
    t.same(
      (await tenant.api('GET', `agents/tools?agent_id=${agent}`)).body.data.map(({ _id }: Json) => _id).sort(),
      [...tools].sort(),
    )
  }
  const before = (await tenant.api('GET', `agents/${agent}`)).body.assistant.updated_at
  t.equal((await give(agent, [two, three, one])).body.assistant.updated_at, before, 'nothing has changed')
})

t.test('an agent takes only tools of its project, each once, at most fifty', async (t) => {
  const agent = await newAgent()
  const mine = (await newTool())._id
  const theirs = (await newTool({}, sister))._id
  const unknown = await give(agent, [mine, theirs, nobody])
  t.same([unknown.status, unknown.body.error.code], [422, 'AGENT_TOOL_NOT_FOUND'])
  t.same(unknown.body.error.details.tools, [theirs, nobody])
  for (const tools of [[mine, mine], ['x'], 'x', undefined, Array.from({ length: 51 }, () => mine)]) {
    t.equal((await give(agent, tools)).status, 400, JSON.stringify(tools))
  }
  t.equal((await tenant.api('PATCH', `agents/${agent}`, { tools: [], name: 'x' })).status, 400)
  t.same((await tenant.api('GET', `agents/${agent}`)).body.assistant.tools, [])
  for (const by of [sister, stranger]) {
    t.equal((await give(agent, [], by)).status, 404)
    t.equal((await by.api('GET', `agents/${agent}`)).status, 404)
  }
  t.equal((await give(nobody, [])).status, 404)
})

t.test('a tool that agents hold is not deleted, by whichever project of the company, and they are named', async (t) => {
  const agents = [await newAgent(), await newAgent()]
  const { _id } = await newTool()
  for (const agent of agents) t.equal((await give(agent, [_id])).status, 200)
  for (const by of [tenant, sister]) {
    const { status, body } = await by.api('DELETE', `agents/tools/${_id}`)
    t.same([status, body.error.code], [409, 'AGENT_TOOL_IN_USE'])
    t.same(
      body.error.details.agents,
      agents.map((agent) => ({ _id: agent, name: 'Ana' })),
    )
  }
  for (const agent of agents) t.equal((await give(agent, [])).status, 200)
  t.equal((await tenant.api('DELETE', `agents/tools/${_id}`)).status, 204)
})

t.test('when a tool is given to an agent and deleted at the same time, one of both is refused', async (t) => {
  const agent = await newAgent()
  await everyOutcome(['given', 'deleted'], async (one, other, round) => {
    const { _id } = await newTool()
    const deleter = round % 2 === 0 ? tenant : sister
    const [given, deleted] = await Promise.all([
      one(() => give(agent, [_id])),
      other(() => deleter.api('DELETE', `agents/tools/${_id}`)),
    ])
    if (given.status === 200) {
      t.same([deleted.status, deleted.body.error?.code], [409, 'AGENT_TOOL_IN_USE'])
      t.same((await tenant.api('GET', `agents/${agent}`)).body.assistant.tools, [_id])
    } else {
      t.same([given.status, given.body.error.code, deleted.status], [422, 'AGENT_TOOL_NOT_FOUND', 204])
      t.equal((await tenant.api('GET', `agents/tools/${_id}`)).status, 404)
    }
    t.equal((await give(agent, [])).status, 200)
    return given.status === 200 ? 'given' : 'deleted'
  })
})
