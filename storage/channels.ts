import type { Database } from './database.ts'
import { Channel, type ChannelStatus } from './entities/channel.ts'

/** Stores what the provider said about a channel. Without a `status` only the reason changes. */
export async function setChannelStatus(
  database: Database,
  _id: string,
  status: ChannelStatus | undefined,
  status_reason: string | null,
  now: Date,
): Promise<void> {
  const changes = { status_reason, updated_at: now, ...(status ? { status } : {}) }
  await database.em().nativeUpdate(Channel, { _id }, changes)
}
