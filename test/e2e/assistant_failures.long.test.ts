/** Whatever fails around a model, the person gets an answer or a hand-over within a minute, and never silence. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const MINUTE_MS = 60_000

const world = await joinWorld(t)
const tools = await startToolServer(t)

type Row = {
  name: string
  /** Replies of the model, the last one again and again. */
  replies: Json[]
  fields?: Json
  tool?: string
  outcome: string
  reason: string | null
}

const call = (name: string) => ({ tool_calls: [{ name, arguments: {} }] })

const rows: Row[] = [
  { name: 'time-out', replies: [{ fault: 'hang' }], outcome: 'failed', reason: 'timeout' },
  {
    name: '429 with a short Retry-After',
    replies: [{ fault: 429, retry_after: 1, times: 2 }, { answer: 'Here.' }],
    outcome: 'answered',
    reason: null,
  },
  {
    name: '429 with an hour of Retry-After',
    replies: [{ fault: 429, retry_after: 3600 }],
    outcome: 'failed',
    reason: 'rate_limited',
  },
  { name: '500', replies: [{ fault: 500 }], outcome: 'failed', reason: 'unavailable' },
  { name: 'cut stream', replies: [{ fault: 'cut' }], outcome: 'failed', reason: 'cut' },
  { name: 'broken JSON', replies: [{ fault: 'broken' }], outcome: 'failed', reason: 'malformed' },
  { name: 'empty', replies: [{ fault: 'empty' }], outcome: 'failed', reason: 'empty' },
  { name: 'refusal', replies: [{ fault: 'refuse' }], outcome: 'failed', reason: 'refused' },
  { name: 'filtered', replies: [{ fault: 'filter' }], outcome: 'failed', reason: 'refused' },
  { name: 'endless tools', replies: [call('parley_read_events')], outcome: 'handed_over', reason: 'too_many_steps' },
  {
    name: 'tool with 500',
    tool: 'broken',
    replies: [call('shop'), { answer: 'I cannot look it up.' }],
    outcome: 'answered',
    reason: null,
  },
  {
    name: 'tool that hangs',
    tool: 'hang',
    replies: [call('shop'), { answer: 'I cannot look it up.' }],
    outcome: 'answered',
    reason: null,
  },
  {
    name: 'no budget',
    fields: { budget: { day_tokens: 1 } },
    replies: [{ answer: 'Hi' }],
    outcome: 'failed',
    reason: 'no_budget',
  },
  { name: 'model withdrawn', replies: [{ fault: 404 }], outcome: 'failed', reason: 'withdrawn' },
]

async function play({ name, replies, fields = {}, tool }: Row): Promise<Json> {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant, { fields })
  if (tool) {
    const { _id } = await made(tenant.api('POST', 'agents/tools', { name: 'shop', url: tools.url(tool) }))
    await made(tenant.api('PATCH', `agents/${desk.id}`, { tools: [_id] }))
  }
  const phone = newPerson()
  const mark = `${name} ${phone}`
  const last = { times: 20, ...replies.at(-1) }
  await desk.script(mark, ...replies.slice(0, -1), last)
  await desk.says(phone, `Where is my order? ${mark}`)
  const seen = async () => {
    const [turn] = await desk.turns()
    return turn?.ended_at && turn
  }
  const turn: Json = await eventually(`${name} has ended`, seen, 2 * MINUTE_MS)
  const answers: Json[] = await desk.answered(phone)
  return { turn, answers, ticket: await desk.ticketOf(phone), calls: await desk.calls(mark) }
}

t.test('each failure ends within a minute', async (t) => {
  const played = await Promise.all(rows.map(async (row) => ({ row, ...(await play(row)) })))
  for (const { row, turn, answers, ticket, calls } of played as ({ row: Row } & Json)[]) {
    t.match(turn, { outcome: row.outcome, reason: row.reason }, row.name)
    const taken_ms = Date.parse(turn.ended_at) - Date.parse(turn.started_at)
    t.ok(taken_ms <= MINUTE_MS, `${row.name}: ${taken_ms} ms`)
    t.equal(answers.length, 1, `${row.name}: the person hears of it once`)
    t.equal(ticket.handled_by, row.outcome === 'answered' ? 'assistant' : 'person', row.name)
    if (row.tool) t.match(JSON.stringify(calls.at(-1).body.messages), /tool_call_id/, `${row.name}: the model is told`)
  }
})
