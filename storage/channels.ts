import { writeAudit } from './audit/write_audit.ts'
import { batched } from './database/batcher.ts'
import type { Database } from './database/database.ts'
import { readRows } from './database/read_rows.ts'
import { Channel, type ChannelStatus } from './entities/channel.ts'

/** Undefined when there is none. */
export const findChannel = batched(async (database, ids: string[]): Promise<(Channel | undefined)[]> => {
  const rows = await readRows(database, Channel, { _id: ids })
  const found = new Map(rows.map((row) => [row._id, row]))
  return ids.map((id) => found.get(id))
})

/** Stores what the provider said about a channel. Without a `status` only the reason changes. */
export async function setChannelStatus(
  database: Database,
  _id: string,
  status: ChannelStatus | undefined,
  status_reason: string | null,
  now: Date,
): Promise<void> {
  const changes = { status_reason, updated_at: now, ...(status ? { status } : {}) }
  await database.em().transactional(async (em) => {
    await em.nativeUpdate(Channel, { _id }, changes)
    const row = await em.findOne(Channel, { _id })
    if (!row) return
    const { company_id, project_id, status } = row
    const after = { status, status_reason }
    await writeAudit(database, em, { target_kind: 'channel', target_id: _id, company_id, project_id, after })
  })
}
