/**
 * The cost of an open snapshot. A backup, a replica's feedback or a forgotten session keeps every row that dies
 * meanwhile, and every read of an often updated row walks over its former versions. The loads are tells to many actors,
 * then messages sent through one channel: without a snapshot, with one that is held, and without it again.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../../storage/mod.ts'
import { hostedPeer } from '../actor_tell/hosted_peer.ts'
import type { Benchmark, Options } from '../benchmark.ts'
import { compare, type Row } from '../compare.ts'
import type { Load } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { type Goal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { parleyPeer } from '../send/ours.ts'
import { CALLBACKS } from '../send/sending_peer.ts'
import { startNats } from '../servers/nats.ts'
import { startPostgres } from '../servers/postgres.ts'

const SUMMARY = 'tells and sends while a snapshot is held for `--rounds` times `--seconds`'
const CALM = 'no snapshot'
const HELD = 'a snapshot is held'
const AFTER = 'no snapshot any more'
/** Rounds without a snapshot, before and after. */
const CALM_ROUNDS = 3

type Subject = { peer: Peer; load: Omit<Load, 'seconds'>; url(): string }

/** The benchmark `snapshot`. Ten minutes for each load are `--rounds 20 --seconds 30`. */
export const snapshot: Benchmark = { id: 'snapshot', summary: SUMMARY, run }

async function run(options: Options): Promise<Report> {
  const { rounds, seconds } = options
  const directory = join(options.directory, 'snapshot')
  mkdirSync(directory, { recursive: true })
  const machine = describeMachine(directory)
  const rows: Row[] = []
  const not_run: Record<string, string> = {}
  const subjects = { tells: tells(), sends: sends() }
  for (const [what, { peer, load, url }] of Object.entries(subjects)) {
    const measure = async (state: string, count: number) => {
      const name = `${what}, ${state}`
      process.stderr.write(`snapshot, ${name} `)
      const rhythm = { rounds: count, warm_up: Math.min(3, seconds), settle_ms: 300 }
      const fallen = (_: unknown, reason: string) => {
        not_run[what] = reason
      }
      rows.push(...(await compare([peer], { ...load, name, seconds }, rhythm, fallen)))
    }
    try {
      await peer.start(join(directory, what))
      await measure(CALM, CALM_ROUNDS)
      await holding(url(), () => measure(HELD, rounds))
      await measure(AFTER, CALM_ROUNDS)
    } finally {
      await peer.stop()
    }
  }
  return {
    id: 'snapshot',
    summary: SUMMARY,
    machine,
    rounds,
    seconds,
    rows,
    verdicts: Object.keys(subjects).map((what) => judge(goal(what, rows), rows)),
    not_run,
  }
}

/** The engine alone: many actors, each saved again and again. */
function tells(): Subject {
  let url = ''
  const peer = hostedPeer('parley', '../actor_tell/ours_host.ts', async (directory) => {
    const postgres = await startPostgres(directory)
    const nats = await startNats(directory, 'default')
    url = postgres.url
    return {
      servers: { postgres: postgres.server, nats: nats.server },
      config: { database_url: url, nats_url: nats.url },
    }
  })
  return { peer, load: { in_flight: 64, keys: 10_000, walks: true }, url: () => url }
}

/** A whole node: requests, messages, one busy channel, and the statuses. */
function sends(): Subject {
  let url = ''
  const peer = parleyPeer((started) => {
    url = started
  })
  return { peer, load: { in_flight: 64, keys: 1, variant: CALLBACKS }, url: () => url }
}

async function holding(url: string, work: () => Promise<void>): Promise<void> {
  const database = await openDatabase({ url, pool_size: 3 })
  const session = await database.session()
  try {
    await session.query('begin isolation level repeatable read; select count(*) from lane')
    // The server ends a transaction that is idle for some seconds.
    await session.query('set local idle_in_transaction_session_timeout = 0')
    await work()
    await session.query('commit')
  } finally {
    await session.end().catch(() => {})
    await database.close()
  }
}

/**
 * The last rounds under the snapshot compared with those without one, before and after, so that the machine's own
 * changes count less.
 */
function goal(what: string, all: Row[]): Goal {
  const ratesOf = (name: string) =>
    all
      .find(({ scenario }) => scenario === `${what}, ${name}`)
      ?.rounds.map(({ operations, seconds }) => operations / seconds)
  const measure = () => {
    const [before, held, after] = [ratesOf(CALM), ratesOf(HELD), ratesOf(AFTER)]
    if (!before || !held || !after) return undefined
    const calm = [...before, ...after]
    const mean = calm.reduce((sum, rate) => sum + rate, 0) / calm.length
    return held.slice(-CALM_ROUNDS).map((rate) => rate / mean)
  }
  return {
    scenario: `${what}, ${HELD}`,
    text: 'at the end at least 0.9 of the rate without one',
    bound: 'at least',
    value: 0.9,
    measure,
  }
}
