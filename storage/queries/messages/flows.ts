import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { Flow } from '../../entities/messages/flow.ts'

/** The row of a Flow of the project. */
export async function findFlow(database: Database, project_id: string, id: string): Promise<Flow | undefined> {
  const [row] = await readRows(database, Flow, { id, project_id })
  return row
}

/** The Flows of a channel, newest first, and their total number. */
export async function listFlows(
  database: Database,
  project_id: string,
  channel_id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ data: Flow[]; total: number }> {
  const page = { orderBy: { id: 'desc' }, limit, offset, disableIdentityMap: true } as const
  const [data, total] = await database.em().findAndCount(Flow, { project_id, channel_id }, page)
  return { data, total }
}
