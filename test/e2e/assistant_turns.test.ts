/** The record of what an assistant did: its lists, its filters, and what is not shown. */
import t from 'tap'
import { objectId, objectIdAt, openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const { api, company_id, project_id } = tenant
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())

const assistant: string = (await made(api('POST', 'assistants', { name: 'Ana' }))).assistant._id
const other: string = (await made(api('POST', 'assistants', { name: 'Bea' }))).assistant._id
const ticket_id = objectId()
const step = {
  ...{ kind: 'tool', name: 'find_orders', started_at: '2026-11-01T10:00:00.000Z', ms: 12 },
  ...{ arguments: '{"phone":"+1"}', result: '[]' },
}

type Fields = { origin?: string; outcome?: string; ticket?: string; by?: string; minutes_ago?: number }

/** A turn that ended. */
async function turn({
  origin = 'conversation',
  outcome = 'answered',
  ticket,
  by = assistant,
  minutes_ago = 0,
}: Fields) {
  const _id = minutes_ago > 0 ? objectIdAt(new Date(Date.now() - minutes_ago * 60_000)) : objectId()
  await database.execute(`
    insert into assistant_turn (_id, company_id, project_id, assistant_id, origin, ticket_id, model, outcome, answer, steps,
      input_tokens, output_tokens, cost, cost_currency, started_at, ended_at)
    values ('${_id}', '${company_id}', '${project_id}', '${by}', '${origin}', ${ticket ? `'${ticket}'` : 'null'}, 'm',
      '${outcome}', 'Hello', '${JSON.stringify([step])}', 10, 2, 0.25, 'USD', now() - interval '${minutes_ago} min', now())`)
  return _id
}

const first = await turn({ ticket: ticket_id, minutes_ago: 30 })
const second = await turn({ origin: 'reply', outcome: 'failed' })
const third = await turn({ ticket: ticket_id, outcome: 'handed_over' })
const hidden = [await turn({ origin: 'playground', ticket: ticket_id }), await turn({ origin: 'test' })]
const elsewhere = await turn({ by: other, ticket: ticket_id })
const list = (query = '') => made(api('GET', `assistants/${assistant}/turns${query}`))
const ids = async (query = '') => (await list(query)).data.map(({ _id }: Json) => _id)

t.test('turns are listed newest first, without those of the playground and of tests', async (t) => {
  t.same(await ids(), [third, second, first])
  const { data, next_cursor } = await list('?limit=2')
  t.same([data.length, next_cursor], [2, second])
  t.same(await ids(`?limit=2&cursor=${next_cursor}`), [first])
  t.match(data[0], { _id: third, outcome: 'handed_over', cost: { amount: 0.25, currency: 'USD' }, input_tokens: 10 })
  t.notOk('steps' in data[0], 'the steps come with the single turn')
  const moment = new Date(Date.now() - 600_000).toISOString()
  const expected: Record<string, string[]> = {
    [`?ticket_id=${ticket_id}`]: [third, first],
    '?outcome=failed': [second],
    '?outcome=discarded': [],
    [`?since=${moment}`]: [third, second],
    [`?until=${moment}`]: [first],
  }
  for (const [query, wanted] of Object.entries(expected)) t.same(await ids(query), wanted, query)
  for (const query of ['outcome=good', 'ticket_id=x', 'cursor=x', 'origin=test', 'limit=0']) {
    t.equal((await api('GET', `assistants/${assistant}/turns?${query}`)).status, 400, query)
  }
})

t.test('one turn has its steps; hidden ones, and those of others, are not found', async (t) => {
  const { turn } = await made(api('GET', `assistants/${assistant}/turns/${first.toUpperCase()}`))
  t.match(turn, { _id: first, answer: 'Hello', steps: [step], sources: [], blocks: [], documents: [], ticket_id })
  for (const id of [...hidden, elsewhere, objectId()]) {
    t.equal((await api('GET', `assistants/${assistant}/turns/${id}`)).status, 404)
    t.equal((await world.operator('GET', `assistants/${assistant}/turns/${id}`)).status, 404)
  }
  for (const path of [`assistants/${assistant}/turns`, `assistants/${assistant}/turns/${first}`]) {
    t.equal((await sister.api('GET', path)).status, 404)
  }
  t.equal((await api('GET', `assistants/${objectId()}/turns`)).status, 404)
})

t.test('operators read the same', async (t) => {
  t.same((await made(world.operator('GET', `assistants/${assistant}/turns`))).data, (await list()).data)
  const one = `assistants/${assistant}/turns/${second}`
  t.same(await made(world.operator('GET', one)), await made(api('GET', one)))
  t.equal((await world.operator('GET', `assistants/${objectId()}/turns`)).status, 404)
})
