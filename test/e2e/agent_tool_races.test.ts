/** Two projects of a company give, test and delete one tool at the same time, through two nodes. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { everyOutcome, type Race } from '../support/mod.ts'
import { type Answer, type Json, patiently } from './client.ts'
import { joinCluster } from './cluster.ts'
import { made, makeSister, makeTenant } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const { nodes, world, config } = await joinCluster(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const server = await startToolServer(t)
const database = await openDatabase({ url: config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

let calls = 0
/** The nodes take turns. */
const call = (token: string, method: string, path: string, json?: Json): Promise<Answer> =>
  patiently(() => nodes[calls++ % nodes.length]!.call(token, method, path, json))
const codeOf = ({ status, body }: Answer) => (status < 300 ? `${status}` : `${status} ${body.error.code}`)

t.test('each of them is answered, and what remains is what the answers say', async (t) => {
  const { _id: agent } = (await made(tenant.api('POST', 'assistants', { name: 'Ana' }))).assistant
  const { _id: second } = (await made(tenant.api('POST', 'assistants', { name: 'Bea' }))).assistant
  const race: Race = async (one, other, round) => {
    const { _id } = await made(tenant.api('POST', 'agents/tools', { name: `Tool ${round}`, url: server.url('orders') }))
    const give = (id: string, tools: string[]) => call(tenant.token, 'PATCH', `agents/${id}`, { tools })
    const [given, tested, deleted, deleted_own, given_too, taken, tested_too] = await Promise.all([
      one(() => give(agent, [_id])),
      one(() => call(tenant.token, 'POST', `agents/tools/${_id}/test`, {})),
      other(() => call(sister.token, 'DELETE', `agents/tools/${_id}`)),
      other(() => call(tenant.token, 'DELETE', `agents/tools/${_id}`)),
      one(() => give(second, [_id])),
      one(() => give(agent, [])),
      one(() => call(tenant.token, 'POST', `agents/tools/${_id}/test`, {})),
    ])
    const answers = [given, tested, deleted, deleted_own, given_too, taken, tested_too].map(codeOf)
    for (const code of answers) t.match(code, /^(20[04]|404 NOT_FOUND|409 AGENT_TOOL_IN_USE|422 AGENT_TOOL_NOT_FOUND)$/)
    // Deletions by both projects at the same moment may both be confirmed.
    const is_deleted = deleted.status === 204 || deleted_own.status === 204
    const is_there = (await tenant.api('GET', `agents/tools/${_id}`)).status === 200
    t.equal(is_there, !is_deleted, answers.join(', '))
    if (is_there) {
      const { data } = await made(tenant.api('GET', `agents/tools/${_id}/calls`))
      t.equal(data.length, [tested, tested_too].filter(({ status }) => status === 200).length)
    } else {
      const rows =
        'select tool_id from assistant_tool where tool_id = ? union all select tool_id from agent_tool_call where tool_id = ?'
      t.same(await database.execute(rows, [_id, _id]), [])
    }
    for (const id of [agent, second]) t.equal((await give(id, [])).status, 200)
    return is_there ? 'given' : 'deleted'
  }
  await everyOutcome(['given', 'deleted'], race, { rounds: 16 })
})
