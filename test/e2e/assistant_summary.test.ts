/** Summaries of conversations for colleagues: drafts that nobody has stored. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const desk = await openDesk(world, tenant, { deployments: [] })
const DEMAND = 'Write the summary of the conversation above'

const summarize = (body: Json, assistant = desk.id) => tenant.api('POST', `assistants/${assistant}/summary`, body)

async function conversation(...texts: string[]): Promise<Json> {
  const phone = newPerson()
  for (const text of texts) await desk.says(phone, `${text} ${phone}`)
  const ticket = await eventually('the ticket is there', () => desk.ticketOf(phone))
  return { phone, ticket }
}

t.test('a conversation is summarized, and nothing is sent or stored but the turn', async (t) => {
  const { phone, ticket } = await conversation('My parcel is broken', 'Can I have a new one?')
  const written = { motivo: 'A broken parcel.', estado: 'Nobody has answered.', proximos_pasos: 'Send a new one.' }
  await desk.script(phone, { tool_calls: [{ name: 'parley_write_summary', arguments: written }] })
  const { summary } = await made(summarize({ ticket_id: ticket._id, language: 'en' }))
  t.match(summary, {
    outcome: 'answered',
    conversation_summary: written,
    reason: null,
    usage: { input_tokens: Number },
  })
  const [call] = await desk.calls(phone)
  const { messages, tools } = call!.body
  t.same(
    tools.map((tool: Json) => tool.function.name),
    ['parley_write_summary'],
    'the model can do nothing else',
  )
  t.match(messages[0].content, /language with the ISO 639-1 code en/)
  t.notMatch(JSON.stringify(messages), /Answer in one sentence/, 'the instructions for people are not needed')
  t.match(JSON.stringify(messages), /My parcel is broken.*Can I have a new one.*Write the summary/s)
  t.same(
    messages.map(({ role }: Json) => role),
    ['system', 'user'],
    'questions and answers are in turn',
  )
  const { turn } = await made(tenant.api('GET', `assistants/${desk.id}/turns/${summary.turn_id}`))
  t.match(turn, { origin: 'summary', outcome: 'answered', ticket_id: ticket._id, answer: /A broken parcel/ })
  t.equal((await desk.messagesOf(phone)).length, 2)
  t.equal((await desk.ticketOf(phone)).conversation_summary, null)
  await made(tenant.api('PATCH', `crm/tickets/${ticket._id}`, { conversation_summary: summary.conversation_summary }))
  t.match((await desk.ticketOf(phone)).conversation_summary, written, 'it can be saved as it is')
})

t.test('a model that writes in place of calling the tool is understood, and one that fails says why', async (t) => {
  const { phone, ticket } = await conversation('Hello')
  const rows: [reply: Json, expected: Json][] = [
    [
      { answer: 'The person says hello.' },
      { outcome: 'answered', conversation_summary: { estado: 'The person says hello.' } },
    ],
    [
      { tool_calls: [{ name: 'parley_write_summary', arguments: '{"motivo": 7' }] },
      { outcome: 'failed', reason: 'empty' },
    ],
    [
      { tool_calls: [{ name: 'parley_hand_over', arguments: { reason: 'x', motivo: 'y' } }] },
      { outcome: 'failed', reason: 'empty' },
    ],
    [{ fault: 'refuse' }, { outcome: 'failed', conversation_summary: null }],
    [{ fault: '400' }, { outcome: 'failed', reason: 'rejected' }],
  ]
  for (const [reply, expected] of rows) {
    await desk.script(phone, reply)
    t.match((await made(summarize({ ticket_id: ticket._id }))).summary, expected, JSON.stringify(reply))
  }
  t.match(await desk.ticketOf(phone), { handled_by: 'nobody' }, 'no hand-over happened')
})

t.test('the simulated model summarizes without a script', async (t) => {
  const { ticket } = await conversation('Where is my order?')
  const { summary } = await made(summarize({ ticket_id: ticket._id }))
  t.match(summary.conversation_summary, { motivo: /Where is my order/ })
  t.notMatch(JSON.stringify(summary), DEMAND)
})

t.test('wrong questions are refused', async (t) => {
  const { ticket } = await conversation('Hello')
  const other = await makeTenant(world)
  const rows: [body: Json, assistant: string, status: number, code: string][] = [
    [{ ticket_id: 'f'.repeat(24) }, desk.id, 422, 'TICKET_NOT_FOUND'],
    [{ ticket_id: ticket._id }, 'f'.repeat(24), 404, 'NOT_FOUND'],
    [{ ticket_id: ticket._id, language: 'English' }, desk.id, 400, 'VALIDATION_ERROR'],
    [{}, desk.id, 400, 'VALIDATION_ERROR'],
  ]
  for (const [body, assistant, status, code] of rows) {
    const answer = await summarize(body, assistant)
    t.same([answer.status, answer.body.error.code], [status, code])
  }
  const fields = { project_id: tenant.project_id, user_id: tenant.user_id, name: 'Runs', scopes: ['assistants:run'] }
  const { token } = await made(world.operator('POST', 'tokens', fields))
  const refused = await tenant.api('POST', `assistants/${desk.id}/summary`, { ticket_id: ticket._id }, { token })
  t.match(refused.body.error, { code: 'INSUFFICIENT_SCOPE', details: { missing: ['messages:read'] } })
  t.equal((await other.api('POST', `assistants/${desk.id}/summary`, { ticket_id: ticket._id })).status, 404)
})

t.test('agents of the console ask for replies and summaries, too', async (t) => {
  const { phone, ticket } = await conversation('My parcel is broken')
  const agent = await inboxAgent(world, tenant)
  await desk.script(phone, { answer: 'We are sorry.' })
  const { reply } = await made(agent.ask('POST', `assistants/${desk.id}/reply`, { ticket_id: ticket._id }))
  t.match(reply, { outcome: 'answered', text: 'We are sorry.' })
  const { summary } = await made(agent.ask('POST', `assistants/${desk.id}/summary`, { ticket_id: ticket._id }))
  t.match(summary.conversation_summary, { motivo: /My parcel is broken/ })
  t.equal((await desk.messagesOf(phone)).length, 1, 'nothing was sent')
  const live = { ticket_id: ticket._id, tools: { mode: 'live' } }
  t.equal((await agent.ask('POST', `assistants/${desk.id}/reply`, live)).status, 403, 'tools that act need more')
})
