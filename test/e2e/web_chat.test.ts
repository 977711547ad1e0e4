/** An agent and a visitor of the web chat, at different nodes: both see the same conversation, and each other at it. */
import { join } from 'node:path'
import t from 'tap'
import { browserStorage } from '../http/browser_storage.ts'
import type { Owner } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinCluster } from './cluster.ts'
import { openConsole } from './console_socket.ts'
import { made, makeTenant } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'

const pages = join(import.meta.dirname, '../../http/visitors/page')
const { Conversation } = await import(join(pages, 'conversation/conversation.ts'))
const { Memory } = await import(join(pages, 'messages/memory.ts'))

const { world, nodes } = await joinCluster(t)
const tenant = await makeTenant(world)
const { project_id } = tenant
const channel = { project_id, channel_type: 'web', provider: 'cloud', name: 'Shop' }
const credentials = { visitor_secret: 'the secret of the visitors' }
const { _id: channel_id } = await made(world.operator('POST', 'channels', { ...channel, credentials }))
const agent = await inboxAgent(world, tenant)

/** The page of a visitor at the node where the agent is not. */
function open(t: Owner, kept: Json) {
  const page = new Conversation(new URL(`${nodes[1]!.base_url}/`), channel_id, kept, { changed() {} })
  t.teardown(() => page.close())
  page.open()
  return page
}

/** A visitor who has written, with the ticket. */
async function visit(t: Owner) {
  const kept = new Memory('chat', browserStorage())
  const page = open(t, kept)
  const say = (body: string) => page.say({ type: 'text', body }, { type: 'text', body })
  say('Hello')
  const ref = await eventually('it is sent', () => page.messages.find((one: Json) => !one.pending)?.ref)
  const to: string = kept.token.split('.')[0]
  const send = (body: string) =>
    made(tenant.api('POST', 'messages', { channel: 'web', channel_id, to, message: { type: 'text', body } }))
  const row = await eventually('the ticket is there', async () =>
    (await agent.list()).find(({ contact }) => contact.user_id === to),
  )
  return { kept, page, say, send, ref, ticket_id: row.ticket_id, chat_user: row.contact._id }
}

async function watch(t: Owner) {
  const { socket, ask } = await openConsole(t, world.base_url, agent.cookie)
  const typing: Json[] = []
  socket.on('notice', ({ type, ...said }) => type === 'visitor.typing' && typing.push(said))
  await ask('watch', { project_id })
  return { ask, typing }
}

/** Messages that wait to be sent have an id of the page. */
const isStored = ({ id }: Json) => /^msg_/.test(id)

const bodiesOf = (page: Json) => page.messages.map(({ message }: Json) => message.body)

t.test('the order that a visitor sees live is the order after a reload', async (t) => {
  const { page, kept, say, send } = await visit(t)
  const sent: Promise<unknown>[] = []
  for (let n = 0; n < 8; n++) {
    say(`visitor ${n}`)
    sent.push(send(`agent ${n}`), send(`agent ${n}, again`))
    if (n % 3 === 0) await sent.at(-1)
  }
  await Promise.all(sent)
  await eventually('all are there', () => page.messages.length === 25 && page.messages.every(isStored))
  const again = open(t, kept)
  await eventually('all are there again', () => again.messages.length === 25)
  t.same(bodiesOf(page), bodiesOf(again))
  t.same(
    page.messages.map(({ at }: Json) => at),
    again.messages.map(({ at }: Json) => at),
  )
})

t.test('the visitor sees what an agent has read, at once and after a reload', async (t) => {
  await watch(t)
  const { page, kept, say, ticket_id } = await visit(t)
  t.equal(page.messages[0].status, undefined)
  await made(agent.ask('POST', `inbox/tickets/${ticket_id}/read`))
  await eventually('it is read', () => page.messages[0].status === 'read')
  say('And this?')
  await eventually('it is stored', () => page.messages.length === 2 && isStored(page.messages[1]))
  const again = open(t, kept)
  await eventually('both are there', () => again.messages.length === 2)
  t.same(
    again.messages.map(({ status }: Json) => status),
    ['read', undefined],
  )
  await made(agent.ask('POST', `inbox/tickets/${ticket_id}/read`, { message_id: page.messages[1].id }))
  for (const tab of [page, again]) await eventually('that, too', () => tab.messages[1].status === 'read')
})

t.test('a mark of a closed ticket holds, and later messages are unread', async (t) => {
  const { page, kept, say, ticket_id } = await visit(t)
  await made(agent.ask('POST', `inbox/tickets/${ticket_id}/read`))
  await made(tenant.api('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true }))
  say('A new matter')
  await eventually('it is stored', () => page.messages.length === 2 && isStored(page.messages[1]))
  const again = open(t, kept)
  await eventually('both are there', () => again.messages.length === 2)
  t.same(
    again.messages.map(({ status }: Json) => status),
    ['read', undefined],
  )
})

t.test('the visitor sees that an agent writes, for as long as the agent does', async (t) => {
  const { ask } = await watch(t)
  const { page, ticket_id } = await visit(t)
  const present = (state: string, at = ticket_id) => ask('presence', { project_id, ticket_id: at, state })
  await present('replying')
  await eventually('the agent writes', () => page.is_agent_typing)
  t.match(page.agent, { name: 'Ana Agent' })
  await present('viewing')
  await eventually('the agent does not write any more', () => !page.is_agent_typing)
  for (const [state, at] of [
    ['viewing', 'a'.repeat(24)],
    ['gone', ticket_id],
  ] as const) {
    await present('replying')
    await eventually('the agent writes', () => page.is_agent_typing)
    await present(state, at)
    await eventually('the agent is elsewhere', () => !page.is_agent_typing)
  }
  await present('replying')
  await eventually('the agent writes', () => page.is_agent_typing)
  await ask('unwatch', { project_id })
  await eventually('the agent has gone', () => !page.is_agent_typing)
})

t.test('an agent sees that the visitor writes', async (t) => {
  const { typing } = await watch(t)
  const { page, chat_user } = await visit(t)
  page.typing(true)
  await eventually('the visitor writes', () => typing.length > 0)
  t.same(typing.at(-1), { project_id, data: { chat_user, typing: true } })
  page.typing(false)
  await eventually('the visitor does not write any more', () => typing.at(-1)?.data.typing === false)
})
