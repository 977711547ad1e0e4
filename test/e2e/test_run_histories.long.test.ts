/**
 * Runs of test sets with held versions on two nodes, one of which is killed, ended and stopped meanwhile, while people change
 * what is tested: exactly the tested version is released, or none, and no try is lost or counted twice.
 */
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { makeTenant, type Tenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { startReadingModel } from './reading_model.ts'
import { asks } from './test_bench.ts'

const PROJECTS = 4
const CASES = 8
/** Milliseconds for which the first stop lasts: another node owns everything meanwhile. */
const LONG_STOP_MS = 30_000

t.setTimeout(900_000)

const model = await startReadingModel(t, { latency_ms: () => randomInt(20, 400), fails: () => randomInt(100) < 3 })
const env = () => ({
  PARLEY_SECRET: TEST_SECRET,
  PARLEY_MODELS: JSON.stringify({ simulated: { url: model.url, context: 32_000 } }),
})
const one = await startKillable(t, { env })
const other = await startKillable(t, { config: { ...one.config, port: await freePort(), data_dir: tempDir(t) }, env })
const database = await openDatabase({ url: one.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

/** A version that people save meanwhile. */
const third = { content: 'Third' }
type Scene = {
  call: (method: string, path: string, body?: Json) => Promise<Json>
  assistant: string
  block: string
  set: string
  set_id: string
  run: string
}

/** Changes while a run is under way. They resolve to a version that they have saved. */
const changes: Record<string, (scene: Scene) => Promise<Json | undefined>> = {
  nothing: async () => undefined,
  replace: ({ call, block, set_id }) => call('PUT', `${block}/content`, { ...third, hold: true, test_set_id: set_id }),
  discard: ({ call, block }) => call('DELETE', `${block}/held-version`),
  release: ({ call, block }) => call('POST', `${block}/held-version/release`),
  save: ({ call, block }) => call('PUT', `${block}/content`, third),
  archive: ({ call, block }) => call('POST', `${block}/archive`),
  detach: ({ call, assistant, block }) => call('DELETE', `${assistant}/${block}`),
  switch_off: ({ call, assistant }) => call('PATCH', assistant, { is_active: false }),
  change_set: ({ call, set }) => call('PUT', set, { name: 'Other', cases: [asks('x', 'x', { includes: ['never'] })] }),
  delete_set: ({ call, set }) => call('DELETE', set),
  cancel: ({ call, set, run }) => call('POST', `${set}/runs/${run}/cancel`),
  run_twice: ({ call, set }) => call('POST', `${set}/runs`, { held: true }),
}

/** One run with one change; the faults that are found when all has come to rest. */
async function play({ api }: Tenant, change: string): Promise<string[]> {
  // A request may meet the end of a node. Its repeat is not done twice, and finds nothing to do where it needs no key.
  const call = (method: string, path: string, body?: Json): Promise<Json> => {
    const headers = method === 'POST' ? { 'idempotency-key': randomUUID() } : undefined
    return eventually(`${method} ${path}`, async () => {
      const answer = await api(method, path, body, headers && { headers }).catch(() => undefined)
      // The first one may be under way on a node that is dying.
      const is_under_way = answer?.body?.error?.code === 'IDEMPOTENCY_IN_PROGRESS'
      return answer !== undefined && answer.status < 500 && !is_under_way && (answer.body ?? {})
    })
  }
  const { assistant } = await call('POST', 'assistants', { name: 'Ana', model: 'simulated' })
  const path = `assistants/${assistant._id}`
  const { block } = await call('POST', 'blocks/steps', { name: 'Steps', content: 'First' })
  await call('POST', `${path}/blocks`, { block_id: block._id })
  const cases = Array.from({ length: CASES }, (_, at) => asks(`Case ${at}`, `Hello #${at}`, { includes: [`#${at}`] }))
  const set_id = (await call('POST', `${path}/test-sets`, { name: 'Set', cases, runs: 2 })).test_set._id
  const [first, blocks] = [block.current_version_id, `blocks/${block._id}`]
  const tested = (await call('PUT', `${blocks}/content`, { content: 'Second', hold: true, test_set_id: set_id }))._id
  const set = `${path}/test-sets/${set_id}`
  const { run } = await call('POST', `${set}/runs`, { held: true })
  await sleep(randomInt(3000))
  const scene = { call, assistant: path, block: blocks, set, set_id, run: run._id }
  const saved = (await changes[change]!(scene))?._id
  const runs = await eventually('the runs end', async () => {
    const rows = await database.execute<Json>(`
      select state, total, passed, failed, input_tokens::int as tokens, ended_at, held_versions,
        (select count(*)::int from assistant_test_result where run_id = r._id) as results,
        (select coalesce(sum(input_tokens), 0)::int from assistant_test_result where run_id = r._id) as spent
      from assistant_test_run r where test_set_id = '${set_id}'`)
    return rows.every(({ ended_at }) => ended_at !== null) && rows
  })
  const is_passed = ({ state, passed, total }: Json) => state === 'done' && passed === total
  const may_end = ['cancel', 'delete_set'].includes(change)
  const found: string[] = []
  for (const one of runs) {
    if (one.results !== one.passed + one.failed || one.tokens !== one.spent)
      found.push('counts are not those of results')
    if (!may_end && !is_passed(one)) found.push('the run has not passed')
  }
  // A run tells its project in the commit of its end, and the row of the message goes with the commit that applies it.
  await eventually('the project has heard of it', async () => {
    const told = await database.execute(`select 1 from outbox o join block b on o.address = 'project/' || b.project_id
      where b._id = '${block._id}'`)
    return told.length === 0
  })
  const [row] = await database.execute<Json>(`select * from block where _id = '${block._id}'`)
  const [current, held] = [row!.current_version_id, row!.held_version_id ?? null]
  const is = (version: string, kept: string | null) => current === version && held === kept
  const has_released = runs.some((one) => is_passed(one) && one.held_versions.length > 0)
  const released = is(tested, null)
  const expected: Record<string, boolean> = {
    replace: is(first, saved) || is(tested, saved),
    discard: is(first, null) || released,
    save: released || is(saved, null),
    detach: has_released ? released : is(first, tested),
    cancel: has_released ? released : is(first, tested),
    delete_set: has_released ? released : is(first, tested),
  }
  if (!(expected[change] ?? released)) found.push(`the current version is ${current}, and ${held} is held`)
  return found.map((fault) => `${change}: ${fault} ${JSON.stringify({ runs, first, tested, saved })}`)
}

t.test('exactly the tested version is released, whatever happens meanwhile', async (t) => {
  let is_over = false
  const ends: NodeJS.Signals[] = []
  const ending = (async () => {
    while (!is_over) {
      const signal = (['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const)[ends.length % 3]!
      ends.push(signal)
      await sleep(randomInt(1000, 4000))
      const child = other.process()
      if (signal === 'SIGSTOP') {
        process.kill(child.pid, 'SIGSTOP')
        await sleep(ends.length === 3 ? LONG_STOP_MS : randomInt(1000, 8000))
        process.kill(child.pid, 'SIGCONT')
      } else {
        await child.end(signal)
        await other.start()
      }
    }
  })()
  const names = Object.keys(changes)
  const findings: string[] = []
  let played = 0
  const player = async () => {
    const tenant = await makeTenant(one)
    while (played < 2 * names.length || ends.length <= 3)
      findings.push(...(await play(tenant, names[played++ % names.length]!)))
  }
  await Promise.all(Array.from({ length: PROJECTS }, player))
  is_over = true
  await ending
  t.same(findings, [], `${played} runs, ${ends.join(' ')}, ${model.answered} answers of the model`)
  t.same(await database.execute('select address, error from dead_letter'), [])
  for (const node of [one, other]) t.equal(await node.process().end('SIGTERM'), 0, node.process().said())
})
