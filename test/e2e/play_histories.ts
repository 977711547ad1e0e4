/** Random bursts to an assistant on two nodes, one of which is killed, stopped and ended meanwhile. */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../storage/mod.ts'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { openDesk } from './assistant_desk.ts'
import { findingsOf, type History, playHistory, rested } from './assistant_histories.ts'
import { makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { startReadingModel } from './reading_model.ts'
import type { Judge } from './sink.ts'

/** Histories at once. */
const TOGETHER = 50
/** Times are a fifth of those of the product, so that gaps of six seconds are 1.2 here. */
const PACE = 5
const WAITS = {
  conversation: {
    ...{ quiet_ms: 1200 / PACE, gather_ms: 6000 / PACE, steady_ms: 12_000 / PACE },
    ...{ model_ms: 8000, lost_ms: 1000, retry_ms: 100 },
  },
}

export type HistoriesResult = {
  findings: string[]
  figures: {
    histories: number
    messages: number
    kills: Record<'SIGKILL' | 'SIGTERM' | 'SIGSTOP', number>
    /** Calls that the model answered, those whose answer a turn has noted, and those that it failed on purpose. */
    calls: number
    used: number
    faults: number
    turns: number
    answered: number
    discarded: number
    failed: number
    handed_over: number
  }
}

/** Plays the histories, and says what was wrong with them when all had come to rest. */
export async function playHistories(t: Judge, histories: number): Promise<HistoriesResult> {
  const model = await startReadingModel(t, {
    latency_ms: () => randomInt(5, 1500 / PACE),
    fails: () => randomInt(100) < 3,
  })
  const env = () => ({
    PARLEY_SECRET: TEST_SECRET,
    PARLEY_MODELS: JSON.stringify({ simulated: { url: model.url, context: 32_000 } }),
  })
  const one = await startKillable(t, { env, waits: WAITS })
  const config = { ...one.config, port: await freePort(), data_dir: tempDir(t) }
  const other = await startKillable(t, { config, env, waits: WAITS })
  const database = await openDatabase({ url: one.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const tenant = await makeTenant(one)
  await openDesk({ model: async () => ({}) as never }, tenant)
  let is_over = false
  const kills = { SIGKILL: 0, SIGTERM: 0, SIGSTOP: 0 }
  /** The first node takes the calls of the test, so the other one dies, while it owns half of the partitions. */
  const killing = (async () => {
    while (!is_over) {
      await sleep(randomInt(4000, 9000))
      const signal = (['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const)[randomInt(3)]!
      kills[signal]++
      const child = other.process()
      if (signal === 'SIGSTOP') {
        process.kill(child.pid, 'SIGSTOP')
        await sleep(randomInt(1000, 8000))
        process.kill(child.pid, 'SIGCONT')
        await sleep(2000)
      } else {
        await child.end(signal)
        await other.start()
      }
    }
  })()
  const played: History[] = []
  let left = histories
  const player = async () => {
    while (left-- > 0) {
      const gaps_ms = Array.from({ length: randomInt(8) }, () => randomInt(6000 / PACE))
      const takes_over_ms = randomInt(4) === 0 ? randomInt(8000 / PACE) : null
      played.push(await playHistory(one, tenant, { gaps_ms, takes_over_ms }))
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, player))
  is_over = true
  await killing
  await rested(database, tenant)
  const findings: string[] = []
  for (const history of played) findings.push(...(await findingsOf(database, tenant, history)))
  if (played.length !== histories) findings.push(`${played.length} of ${histories} histories were played`)
  const dead = await database.execute<{ address: string; error: string }>('select address, error from dead_letter')
  for (const { address, error } of dead) findings.push(`a dead letter of ${address}: ${error}`)
  const [turns] = await database.execute<
    Omit<HistoriesResult['figures'], 'histories' | 'messages' | 'kills' | 'calls' | 'faults'>
  >(`
    select count(*)::int as turns, count(*) filter (where outcome = 'answered')::int as answered,
      count(*) filter (where outcome = 'discarded')::int as discarded, count(*) filter (where outcome = 'failed')::int as failed,
      count(*) filter (where outcome = 'handed_over')::int as handed_over,
      (select count(*)::int from assistant_turn, json_array_elements(steps) s where s->>'kind' = 'model' and s->'error' is null) as used
    from assistant_turn`)
  for (const node of [one, other]) {
    const code = await node.process().end('SIGTERM')
    if (code !== 0) findings.push(`a node ended with ${code}: ${node.process().said()}`)
  }
  const messages = played.reduce((sum, { marks }) => sum + marks.length, 0)
  const { answered: calls, failed: faults } = model
  return { findings, figures: { histories, messages, kills, calls, faults, ...turns! } }
}
