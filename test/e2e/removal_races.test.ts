/**
 * Stages, users and customers are deleted through one node while tickets and contacts begin to refer to them through
 * the other.
 */
import t, { type Test } from 'tap'
import { openDatabase, removeStage } from '../../storage/mod.ts'
import { everyOutcome, type Start, TEST_SECRET } from '../support/mod.ts'
import { type Answer, type Json, patiently } from './client.ts'
import { joinCluster } from './cluster.ts'
import { made, makeTenant } from './fixture.ts'

/** Rounds of a sweep, each of which deletes at another moment of the moves. PARLEY_TEST_ALL=1 takes smaller steps. */
const ROUNDS = process.env.PARLEY_TEST_ALL ? 24 : 12
const TICKETS = 4

const { nodes, world, config } = await joinCluster(t)
const [remover, writer] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
const { operator } = world
const { api, token, company_id, project_id } = await makeTenant(world)
const database = await openDatabase({ url: config.database_url!, secret: TEST_SECRET, pool_size: 3 })
t.teardown(() => database.close())

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)
const codeOf = ({ status, body }: Answer): string => (status < 300 ? `${status}` : `${status} ${body.error.code}`)

let people = 0

/** Opens a ticket in the first stage of the default pipeline. */
async function open(): Promise<Answer> {
  const contact = await made(api('POST', 'contacts', { channel_type: 'telegram', user_id: `u${++people}` }))
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: contact._id }
  return patiently(() => writer.call(token, 'POST', 'crm/events', event))
}

const opened = async (): Promise<string> => (await made(open())).event.ticket_id
const get = (id: string): Promise<Json> => made(api('GET', `crm/tickets/${id}`))
const move = (id: string, stage_id: string) =>
  patiently(() => writer.call(token, 'POST', `crm/tickets/${id}/stage`, { stage_id }))
const stagesOf = async (pipeline: Json): Promise<Json[]> =>
  (await operator('GET', `pipelines/${pipeline._id}`)).body.stages

function pipelineOf(names: string[], is_default = false): Promise<Json> {
  const stages = names.map((name) => ({ name }))
  return made(operator('POST', 'pipelines', { project_id, name: 'Sales', is_default, stages }))
}

/** Returns the open tickets whose stages are gone. */
function lost(): Promise<Json[]> {
  return database.execute(
    `select _id, stage_id from ticket where not is_closed and stage_id not in (select _id from pipeline_stage)`,
  )
}

/** Checks that events tell as many moves of each ticket as answers confirmed. */
async function movedAsTold(t: Test, told: Map<string, number>): Promise<void> {
  for (const [id, times] of told) {
    const { data } = await made(api('GET', `crm/tickets/${id}/timeline?kind=event&limit=200`))
    const moves = data.filter((event: Json) => event.event_type === 'ticket.stage_changed')
    t.equal(moves.length, times, `moves of ${id}`)
  }
}

t.test('tickets are moved into stages that are deleted', async (t) => {
  const tickets = await Promise.all(upTo(TICKETS).map(opened))
  const told = new Map(tickets.map((id) => [id, 0]))
  const outcomes = ['a move is made', 'a move is refused', 'a deletion is made', 'a deletion is refused']
  await everyOutcome(outcomes, race, { rounds: ROUNDS })
  await movedAsTold(t, told)

  async function race(one: Start, other: Start, round: number): Promise<string[]> {
    const pipeline = await pipelineOf(['Home', 'Short', 'Shorter'])
    const [home, ...short] = pipeline.stages.map(({ _id }: Json) => _id) as [string, string, string]
    const moved = tickets.map(async (id, n) => {
      const target = short[n % 2]!
      const answer = await one(() => move(id, target))
      if (answer.status === 200) told.set(id, told.get(id)! + 1)
      return { target, answer }
    })
    // The rounds take turns: the stages go one by one, or all at once.
    const left = { stages: [{ _id: home }] }
    const deleted =
      round % 2 === 0
        ? short.map((id) => ({ ids: [id], ended: other(() => remover.operator('DELETE', `stages/${id}`)) }))
        : [{ ids: short, ended: other(() => remover.operator('PATCH', `pipelines/${pipeline._id}`, left)) }]
    const answers = await Promise.all(moved)
    const ended = await Promise.all(deleted.map(async ({ ids, ended }) => ({ ids, answer: await ended })))
    const present = new Set((await stagesOf(pipeline)).map(({ _id }) => _id))
    for (const { ids, answer } of ended) {
      t.match(codeOf(answer), /^200$|^204$|^409 IN_USE$/)
      for (const id of ids) t.equal(present.has(id), answer.status === 409, 'a stage is gone if the answer says so')
    }
    for (const { target, answer } of answers) {
      t.match(codeOf(answer), /^200$|^422 STAGE_NOT_FOUND$/)
      if (answer.status === 200) t.ok(present.has(target), 'a ticket that was moved keeps its stage')
    }
    const positions = (await stagesOf(pipeline)).map(({ position }) => position)
    t.same(positions, [...positions.keys()], 'the positions of the other stages have no gap')
    t.same(await lost(), [])
    for (const id of tickets) await made(move(id, home)).then(() => told.set(id, told.get(id)! + 1))
    return [
      ...answers.map(({ answer }) => (answer.status === 200 ? 'a move is made' : 'a move is refused')),
      ...ended.map(({ answer }) => (answer.status === 409 ? 'a deletion is refused' : 'a deletion is made')),
    ]
  }
})

t.test('tickets are opened in a first stage that is deleted', async (t) => {
  for (const _ of upTo(ROUNDS / 2)) {
    const pipeline = await pipelineOf(['First', 'Second'], true)
    const [first, second] = pipeline.stages
    const answers = await Promise.all([
      ...upTo(4).map(open),
      remover.operator('DELETE', `stages/${first._id}`),
      ...upTo(4).map(open),
    ])
    const [ended] = answers.splice(4, 1)
    t.match(codeOf(ended!), /^204$|^409 IN_USE$/)
    t.same(new Set(answers.map(codeOf)), new Set(['201']))
    const there = new Set((await stagesOf(pipeline)).map(({ _id }) => _id))
    t.equal(there.has(first._id), ended!.status === 409)
    for (const { body } of answers) {
      const { stage_id } = (await get(body.event.ticket_id)).stage
      t.ok(there.has(stage_id) && [first._id, second._id].includes(stage_id), 'the ticket is in an existing stage')
    }
    t.same(await lost(), [])
  }
})

t.test('a node that deletes a stage and stops before it tells the project leaves no ticket in it', async (t) => {
  const pipeline = await pipelineOf(['First', 'Second', 'Third'], true)
  const [first, second, third] = pipeline.stages.map(({ _id }: Json) => _id) as [string, string, string]
  const ticket = await opened()
  await made(move(ticket, second))
  await removeStage(database, third)
  t.equal(codeOf(await move(ticket, third)), '422 STAGE_NOT_FOUND')
  await made(move(ticket, second))
  await removeStage(database, first)
  t.equal((await get(await opened())).stage.stage_id, second)
  t.same(await lost(), [])
})

t.test('a closed ticket keeps the id of a deleted stage, also when it is reopened', async (t) => {
  const pipeline = await pipelineOf(['First', 'Second'], true)
  const [, second] = pipeline.stages
  const ticket = await opened()
  await made(move(ticket, second._id))
  await made(api('PATCH', `crm/tickets/${ticket}`, { is_closed: true }))
  t.equal(codeOf(await operator('DELETE', `stages/${second._id}`)), '204')
  const reopened = await made(api('PATCH', `crm/tickets/${ticket}`, { is_closed: false }))
  t.equal(reopened.ticket.stage.stage_id, second._id)
})

t.test('contacts are linked to customers who are deleted', async (t) => {
  // The other is refused, whichever comes first.
  const outcomes = ['200, 409 IN_USE', '422 CUSTOMER_NOT_FOUND, 204']
  await everyOutcome(outcomes, race, { rounds: ROUNDS })

  async function race(one: Start, other: Start, round: number): Promise<string> {
    const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Ana' }))
    const contact = await made(api('POST', 'contacts', { channel_type: 'telegram', user_id: `c${round}` }))
    const link = () => writer.call(token, 'PATCH', `contacts/${contact._id}`, { customer_id: customer._id })
    const answers = await Promise.all([
      one(() => patiently(link)),
      other(() => remover.operator('DELETE', `customers/${customer._id}`)),
    ])
    const now = await made(api('GET', `contacts/${contact._id}`))
    t.equal(now.customer_id, answers[0].status === 200 ? customer._id : null)
    return answers.map(codeOf).join(', ')
  }
})

t.test('tickets are assigned to users who are deleted', async (t) => {
  const ticket = await opened()
  // The other is refused, whichever comes first.
  const outcomes = ['200, 409 IN_USE', '422 ASSIGNEE_NOT_FOUND, 204']
  await everyOutcome(outcomes, race, { rounds: ROUNDS })

  async function race(one: Start, other: Start, round: number): Promise<string> {
    const email = `u${round}@example.com`
    const user = await made(operator('POST', 'users', { company_id, full_name: 'Ana', email }))
    const assign = () => writer.call(token, 'PATCH', `crm/tickets/${ticket}`, { assigned_to: user._id })
    const answers = await Promise.all([
      one(() => patiently(assign)),
      other(() => remover.operator('DELETE', `users/${user._id}`)),
    ])
    const now = await made(api('GET', `crm/tickets/${ticket}`))
    if (answers[0].status === 200) t.equal(now.assigned_to?.id, user._id, 'an assigned ticket keeps its user')
    t.same(
      await database.execute(
        'select _id from ticket where not is_closed and assigned_to not in (select _id from "user")',
      ),
      [],
    )
    await made(api('PATCH', `crm/tickets/${ticket}`, { assigned_to: null }))
    return answers.map(codeOf).join(', ')
  }
})
