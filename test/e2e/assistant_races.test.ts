/** Two nodes change one assistant at the same time. */
import t from 'tap'
import { type Answer, type Json, patiently } from './client.ts'
import { joinCluster } from './cluster.ts'
import { made, makeTenant } from './fixture.ts'

const ROUNDS = 8
const RACERS = 6

const { nodes, world } = await joinCluster(t)
const { api, token } = await makeTenant(world)

/** The nodes take turns. */
const call = (n: number, method: string, path: string, json?: Json): Promise<Answer> =>
  patiently(() => nodes[n % nodes.length]!.call(token, method, path, json))
const created = async (): Promise<Json> => (await made(() => api('POST', 'assistants', { name: 'Ana' }))).assistant
const blocks = (path: string): Promise<string[]> =>
  Promise.all(
    Array.from(
      { length: RACERS },
      async (_, n) => (await made(call(n, 'POST', `blocks/${path}`, { name: 'x' }))).block._id,
    ),
  )

t.test('of many identity blocks of a type, one is attached', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const { _id } = await created()
    const ids = await blocks(round % 2 === 0 ? 'objective' : 'response-format')
    const answers = await Promise.all(
      ids.map((block_id, n) => call(n + round, 'POST', `assistants/${_id}/blocks`, { block_id })),
    )
    const kept = ids.filter((_, n) => answers[n]!.status === 201)
    t.equal(kept.length, 1)
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      t.same(
        [status, body.error.code, body.error.details.block_id],
        [400, 'ASSISTANT_DUPLICATE_IDENTITY_BLOCK', kept[0]],
      )
    const { data } = (await call(round, 'GET', `assistants/${_id}/blocks`)).body
    t.same(
      data.slice(2).map((block: Json) => block._id),
      kept,
    )
  }
})

t.test('blocks attached at the same place all have a place of their own', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const { _id } = await created()
    const ids = await blocks('steps')
    const answers = await Promise.all(
      ids.map((block_id, n) => call(n, 'POST', `assistants/${_id}/blocks`, { block_id, order: 1 })),
    )
    t.same([...new Set(answers.map(({ status }) => status))], [201])
    const { data } = (await call(round, 'GET', `assistants/${_id}/blocks`)).body
    t.same(
      data.map(({ order }: Json) => order),
      Array.from({ length: RACERS + 2 }, (_, order) => order),
    )
  }
})

t.test('of many requests that detach a block, one does', async (t) => {
  const { _id, blocks } = await created()
  for (const { _id: block_id } of blocks) {
    const path = `assistants/${_id}/blocks/${block_id}`
    const answers = await Promise.all(Array.from({ length: RACERS }, (_, n) => call(n, 'DELETE', path)))
    t.same(answers.map(({ status }) => status).sort(), [204, ...Array(RACERS - 1).fill(404)])
  }
})

t.test('content of the greatest length reaches the owner of the project from every node', async (t) => {
  const { _id } = (await made(call(0, 'POST', 'blocks/steps', { name: 'Long' }))).block
  for (const [n, content] of ['"'.repeat(100_000), '😀'.repeat(100_000)].entries()) {
    for (const at of [n, n + 1]) {
      const saved = await made(call(at, 'PUT', `blocks/${_id}/content`, { content }))
      t.equal(saved.content, content)
      t.same((await call(at + 1, 'GET', `blocks/${_id}/versions/${saved._id}`)).body, saved)
    }
  }
})

t.test('changes of different fields all survive', async (t) => {
  const { _id } = await created()
  const patches = [{ name: 'Bea' }, { description: 'Sells' }, { is_active: false }, { avatar_emoji: '🙂' }]
  const answers = await Promise.all(patches.map((patch, n) => call(n, 'PATCH', `assistants/${_id}`, patch)))
  t.same([...new Set(answers.map(({ status }) => status))], [200])
  t.match((await call(0, 'GET', `assistants/${_id}`)).body.assistant, Object.assign({}, ...patches))
})
