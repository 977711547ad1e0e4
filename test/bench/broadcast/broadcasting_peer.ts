import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { type Provider, startProvider } from '../send/provider.ts'
import { RECIPIENTS, type Recipient, recipientsOf } from './campaign.ts'

/** The sender of a broadcast. `send` resolves when the request is accepted (ours) or when all is sent (a loop). */
export type Broadcaster = {
  database_url: string
  processes: Record<string, number>
  send(recipients: Recipient[]): Promise<void>
  stop(): Promise<void>
}

const PATIENCE_MS = 120_000

/**
 * A peer whose round is one broadcast of `RECIPIENTS`, however many seconds it takes. The round ends when the table
 * `message` says `sent` for all of them. p50 and p99 are those of the recipients, from the beginning until their
 * message was `sent`.
 */
export function broadcastingPeer(
  name: string,
  serve: (directory: string, provider: Provider) => Promise<Broadcaster>,
): Peer {
  let provider: Provider | undefined
  let broadcaster: Broadcaster | undefined
  let database: pg.Client | undefined
  let series = 0
  return {
    name,
    async start(directory) {
      provider = await startProvider()
      await provider.notify(null)
      broadcaster = await serve(directory, provider)
      database = new pg.Client({ connectionString: broadcaster.database_url })
      database.on('error', () => {})
      await database.connect()
    },
    async run(): Promise<Sample> {
      const recipients = recipientsOf(RECIPIENTS, series++)
      const last = (await database!.query("select coalesce(max(id), '') as id from message")).rows[0].id
      const before = await accepted(provider!)
      const from = performance.now()
      const began_at = Date.now()
      await broadcaster!.send(recipients)
      const told_ms = performance.now() - from
      await takenBy(provider!, before + RECIPIENTS)
      const operations = await sentSince(database!, last)
      const seconds = (performance.now() - from) / 1000
      const [p50_ms, p99_ms] = await spread(database!, last, began_at)
      const errors = RECIPIENTS - operations
      const figures = { 'ms until the caller is free': told_ms }
      return { operations, issued: RECIPIENTS, errors, seconds, p50_ms, p99_ms, figures }
    },
    processes: () => ({ ...broadcaster!.processes, provider: provider!.pid }),
    async stop() {
      await database?.end()
      await broadcaster?.stop()
      await provider?.stop()
    },
  }
}

async function accepted({ url }: Provider): Promise<number> {
  const response = await fetch(`${url}/_control`)
  return ((await response.json()) as { accepted: number }).accepted
}

/**
 * Waits until the provider has so many messages. The store is asked only afterwards, because counting there costs the
 * peer time.
 */
async function takenBy(provider: Provider, count: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while ((await accepted(provider)) < count && performance.now() < end) await pause(20)
}

/** Waits until all messages are sent. Gives up when that takes far too long. */
async function sentSince(database: pg.Client, last: string): Promise<number> {
  const text = "select count(*)::int as count from message where id > $1 and status = 'sent'"
  for (const end = performance.now() + PATIENCE_MS; ; await pause(10)) {
    const { count } = (await database.query({ name: 'sent', text, values: [last] })).rows[0]
    if (count >= RECIPIENTS || performance.now() > end) return Math.min(count, RECIPIENTS)
  }
}

async function spread(database: pg.Client, last: string, began_at: number): Promise<[p50: number, p99: number]> {
  const at = 'extract(epoch from sent_at) * 1000'
  const text = `select percentile_cont(array[0.5, 0.99]) within group (order by ${at}) as at from message where id > $1`
  const [p50, p99] = (await database.query(text, [last])).rows[0].at
  return [p50 - began_at, p99 - began_at]
}
