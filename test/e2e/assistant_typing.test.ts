/** Agents see in their consoles that an assistant writes. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { openConsole } from './console_socket.ts'
import { joinWorld, makeTenant, type Tenant } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const desk = await openDesk(world, tenant)

async function watch(tenant: Tenant): Promise<Json[]> {
  const agent = await inboxAgent(world, tenant)
  const { socket, ask } = await openConsole(t, world.base_url, agent.cookie)
  const typing: Json[] = []
  socket.on('notice', ({ type, data }) => type === 'assistant.typing' && typing.push(data))
  await ask('watch', { project_id: tenant.project_id })
  return typing
}

const typing = await watch(tenant)
const elsewhere = await watch(await makeTenant(world))

t.test('an assistant writes until its answer is decided on, and its tools belong to it', async (t) => {
  const person = newPerson()
  const mark = `typing ${person}`
  await desk.script(mark, { tool_calls: [{ name: 'no_such_tool', arguments: {} }] }, { answer: 'It is on its way.' })
  await desk.says(person, `Where is my order? ${mark}`)
  await desk.answered(person)
  const { _id: ticket_id } = await desk.ticketOf(person)
  const sign = (typing: boolean) => ({ ticket_id, assistant_id: desk.id, typing })
  await eventually('it has ended', () => typing.at(-1)?.typing === false)
  t.same(typing.at(-1), sign(false))
  t.ok(typing.length >= 4, `${typing.length} signs: two questions, the tool, and the end`)
  t.same(typing.slice(0, -1), Array(typing.length - 1).fill(sign(true)), 'the tool does not interrupt it')
  t.same(elsewhere, [], 'other projects hear nothing')
})

t.test('it writes no more when the model has failed, or people have the ticket', async (t) => {
  const person = newPerson()
  const mark = `failing ${person}`
  await desk.script(mark, { fault: 'refuse' })
  await desk.says(person, `Hello ${mark}`)
  const { _id: ticket_id } = await desk.left(person)
  await eventually('it has ended', () => typing.at(-1)?.typing === false && typing.at(-1)?.ticket_id === ticket_id)
  t.pass('the consoles were told')
})
