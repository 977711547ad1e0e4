/**
 * Broadcasts of many projects at once on one node, each from a number of its own. The shares of the projects are read
 * from the messages afterwards, so that the measurement costs nothing meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { type Provider, startProvider } from '../send/provider.ts'
import { type Parley, startParley } from '../servers/parley.ts'
import { recipientsOf, TEMPLATE } from './campaign.ts'
import { openSender, type Sender } from './project.ts'

export const PROJECTS = 100
/** The recipients of each project. */
const PEOPLE = 200
const OPENED_AT_ONCE = 10
const LOOK_MS = 250
const PATIENCE_MS = 120_000

/** The last project's time divided by the first's, from the beginning until all messages of the project were sent. */
export const SPREAD = 'time of the last project over that of the first'
/** The largest share of a project divided by the smallest, at the time when half of all messages were sent. */
export const SHARES = 'largest share at half time over the smallest'

export function crowdPeer(name: string): Peer {
  let provider: Provider | undefined
  let node: Parley | undefined
  let database: pg.Client | undefined
  let senders: Sender[] = []
  let series = 0
  return {
    name,
    async start(directory) {
      provider = await startProvider()
      await provider.notify(null)
      node = await startParley(directory)
      database = new pg.Client({ connectionString: node.database_url })
      database.on('error', () => {})
      await database.connect()
      while (senders.length < PROJECTS) {
        const { url } = provider
        const more = Array.from({ length: OPENED_AT_ONCE }, () => openSender(node!, url))
        senders = [...senders, ...(await Promise.all(more))]
      }
    },
    async run() {
      const body = {
        template_name: TEMPLATE.name,
        language: TEMPLATE.language,
        recipients: recipientsOf(PEOPLE, series++),
      }
      const last = (await database!.query("select coalesce(max(id), '') as id from message")).rows[0].id
      const began_at = Date.now()
      await Promise.all(senders.map(({ api }) => api('POST', '/v1/messages/bulk', body)))
      await allSent(database!, last)
      return sampleOf(database!, last, began_at)
    },
    processes: () => ({ parley: node!.child.pid, provider: provider!.pid }),
    async stop() {
      await database?.end()
      await node?.child.stop()
      await provider?.stop()
    },
  }
}

async function allSent(database: pg.Client, last: string): Promise<void> {
  const text = "select count(*)::int as count from message where id > $1 and status = 'sent'"
  for (const end = performance.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
    const { count } = (await database.query(text, [last])).rows[0]
    if (count >= PROJECTS * PEOPLE || performance.now() > end) return
  }
}

async function sampleOf(database: pg.Client, last: string, began_at: number): Promise<Sample> {
  const text =
    'select project_id, (extract(epoch from sent_at) * 1000)::float8 as at from message where id > $1 and sent_at is not null'
  const rows: { project_id: string; at: number }[] = (await database.query(text, [last])).rows
  const times = rows.map(({ at }) => at - began_at).sort((a, b) => a - b)
  const half = times[Math.floor(times.length / 2)]!
  const ended = new Map<string, number>()
  const shares = new Map<string, number>(rows.map(({ project_id }) => [project_id, 0]))
  for (const { project_id, at } of rows) {
    const time = at - began_at
    ended.set(project_id, Math.max(ended.get(project_id) ?? 0, time))
    if (time <= half) shares.set(project_id, shares.get(project_id)! + 1)
  }
  const ends = [...ended.values()]
  const parts = [...shares.values()]
  const issued = PROJECTS * PEOPLE
  return {
    operations: rows.length,
    issued,
    errors: issued - rows.length,
    seconds: times.at(-1)! / 1000,
    p50_ms: half,
    p99_ms: times[Math.floor(times.length * 0.99)]!,
    figures: {
      [SPREAD]: Math.max(...ends) / Math.min(...ends),
      [SHARES]: Math.max(...parts) / Math.max(1, Math.min(...parts)),
    },
  }
}
