/** Assistants in the web chat: visitors see the answer while it is written, and nothing that may not leave. */
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { conversationWaits } from '../../actors/mod.ts'
import { connectWeb, visitPage } from '../http/visitor_page.ts'
import type { Owner } from '../support/mod.ts'
import { openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { addDocument, indexed } from './knowledge_client.ts'

const world = await joinWorld(t)

const QUIET_MS = conversationWaits.quiet_ms

let visits = 0

/** A visitor of a chat in which an assistant answers. `drafts`: those that the page got, in order. */
async function visit(t: Owner) {
  const tenant = await makeTenant(world)
  const channel = await connectWeb(world, tenant)
  const desk = await openDesk(world, tenant)
  const visitor = await visitPage(t, { base_url: world.base_url, channel })
  const typing: Json[] = []
  const order: string[] = []
  visitor.socket.on('typing', (sign) => {
    typing.push(sign)
    order.push(`draft ${sign.draft?.text}`)
  })
  visitor.socket.on('message', ({ direction, message }) => {
    if (direction === 'outbound') order.push(`message ${message.body}`)
  })
  const mark = `visit-${process.pid}-${++visits}`
  return {
    ...{ tenant, channel, desk, visitor, typing, order, mark },
    drafts: () => typing.flatMap(({ draft }) => draft?.text || []) as string[],
    answer: () =>
      eventually('the answer is here', () =>
        visitor.heard.find(({ direction }) => direction === 'outbound'),
      ) as Promise<Json>,
    ticket: () =>
      eventually('the ticket is there', async () => (await made(tenant.api('GET', 'crm/tickets?limit=1'))).data[0]),
    seesNothing: () => eventually('the draft is taken away', () => typing.at(-1)?.typing === false),
  }
}

const LONG = 'Your order left our house this morning. It arrives tomorrow before noon, and the driver rings twice.'

t.test('a visitor sees the answer grow, from its assistant, and then the message', async (t) => {
  const { desk, visitor, typing, order, drafts, mark, answer } = await visit(t)
  await desk.script(mark, { answer: LONG, piece_ms: 80 })
  await visitor.write(`Where is my order? ${mark}`)
  t.match(await answer(), { message: { type: 'text', body: LONG } })
  t.match(typing[0], { agent: { name: 'Ana', photo_url: null }, typing: true, draft: { text: '' } }, 'it writes')
  t.ok(drafts().length >= 3, `${drafts().length} drafts`)
  for (const [index, text] of drafts().entries()) {
    t.ok(LONG.startsWith(text), text)
    t.ok(text.length >= (drafts()[index - 1]?.length ?? 0), 'nothing is taken back')
  }
  t.equal(new Set(typing.map(({ draft }) => draft.turn_id)).size, 1)
  const at = order.indexOf(`message ${LONG}`)
  t.same(
    order.slice(at + 1).filter((one) => one !== 'draft '),
    [],
    'no draft follows the message',
  )
  const { agent } = await visitor.ask('history')
  t.same(agent, { name: 'Ana', photo_url: null })
})

t.test('after a person took over there is no draft any more', async (t) => {
  const { tenant, desk, visitor, typing, drafts, mark, ticket, seesNothing } = await visit(t)
  await desk.script(mark, { answer: `${LONG} `.repeat(20), piece_ms: 80 })
  await visitor.write(`Where is my order? ${mark}`)
  await eventually('the assistant writes', () => drafts().length > 2)
  await made(tenant.api('POST', `crm/tickets/${(await ticket())._id}/take-over`, { user_id: tenant.user_id }))
  await seesNothing()
  const count = typing.length
  await eventually('the turn has ended', async () => (await desk.turns())[0]?.outcome === 'discarded')
  t.equal(typing.length, count, 'nothing more is said of it')
  t.same(
    visitor.heard.filter(({ direction }) => direction === 'outbound'),
    [],
  )
})

t.test('a new message takes the draft of the old answer away', async (t) => {
  const { desk, visitor, typing, drafts, mark, answer } = await visit(t)
  await desk.script(`first ${mark}`, { answer: `Old. ${LONG} ${LONG}`, piece_ms: 150 })
  await desk.script(`second ${mark}`, { answer: 'New.' })
  await visitor.write(`first ${mark}`)
  await eventually('the assistant writes', () => drafts().length > 1)
  await visitor.write(`second ${mark}`)
  await eventually('the draft is taken away', () => typing.some((one) => one.typing === false))
  t.match(await answer(), { message: { body: 'New.' } })
})

t.test('no draft has a link of a stranger, or a promise', async (t) => {
  const { desk, visitor, drafts, mark, answer, seesNothing } = await visit(t)
  await desk.script(
    mark,
    { answer: 'Pay it at https://evil.example.com/pay now. It is quick.', piece_ms: 60 },
    { answer: "I see. I'll transfer you to a colleague of mine right now.", piece_ms: 60 },
  )
  await desk.script('Write it again without that link', { answer: 'Pay it in our shop, please.', piece_ms: 60 })
  await visitor.write(`How do I pay? ${mark}`)
  t.match(await answer(), { message: { body: 'Pay it in our shop, please.' } })
  t.ok(drafts().length > 0)
  t.notMatch(drafts().join('\n'), /evil|http/)
  await visitor.write(`I want a person ${mark}`)
  await eventually('it is left to people', async () => (await desk.turns())[0]?.outcome === 'handed_over')
  await seesNothing()
  t.notMatch(drafts().join('\n'), /transfer|colleague/)
})

t.test('an answer shows the pages from which it comes, live and after a reload', async (t) => {
  const { tenant, desk, visitor, mark, answer } = await visit(t)
  const url = 'https://www.example.com/help/shipping'
  const node = await addDocument(tenant, 'Shipping', 'Parcels arrive within two days.', { source_url: url })
  const internal = await addDocument(tenant, 'Internal', 'Parcels of friends arrive within one day.')
  await indexed(tenant, [node, internal])
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { knowledge_node_ids: [node, internal] }))
  await desk.script(
    mark,
    { tool_calls: [{ name: 'parley_search_knowledge', arguments: { query: 'parcels arrive' } }] },
    { answer: 'Within two days [1][2].' },
  )
  await visitor.write(`When do parcels arrive? ${mark}`)
  const sources = [{ title: 'Shipping', url }]
  t.match(await answer(), { message: { body: 'Within two days.' }, sources })
  const { messages } = await visitor.ask('history')
  t.same(messages.at(-1).sources, sources)
})

t.test('a person who types the next message is not interrupted', async (t) => {
  const { desk, visitor, mark, answer } = await visit(t)
  await desk.script(mark, { answer: 'Both arrive tomorrow.', times: 2 })
  // The contact is known from now on.
  await visitor.write(`Hello ${mark}`)
  await answer()
  visitor.heard.length = 0
  await visitor.write(`Where is my order A-1? ${mark}`)
  const typing = setInterval(() => visitor.socket.emit('typing', { typing: true }), 400)
  t.teardown(() => clearInterval(typing))
  await setTimeout(QUIET_MS * 2.5)
  t.equal((await desk.calls(`A-1? ${mark}`)).length, 0, 'the model is not asked meanwhile')
  await visitor.write(`And A-2? ${mark}`)
  clearInterval(typing)
  await answer()
  const calls = await desk.calls(`And A-2? ${mark}`)
  t.equal(calls.length, 1)
  t.match(JSON.stringify(calls[0]!.body.messages), /A-1.*A-2/s, 'one answer to both')
})
