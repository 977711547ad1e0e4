/** Changes of channels that were announced, as their timers have them. */
import { type ChannelStatus, type Database, sql } from '../../storage/mod.ts'

/** `was`: the status that was published last. */
export type Announced = { project_id: string; was: ChannelStatus }

/** The name of the timer. */
export const TIMER = 'refresh'

/** The announcements under way, by channel. */
export async function loadAnnounced(database: Database, ids: string[]): Promise<Map<string, Announced>> {
  const addresses = sql.list(ids.map((id) => `channel/${id}`))
  const rows = await database.execute<{ address: string; late: Announced }>(
    sql`select address, message->'late' as late from timer where name = ${TIMER} and address in (${addresses})`,
  )
  return new Map(rows.map(({ address, late }) => [address.slice('channel/'.length), late]))
}
