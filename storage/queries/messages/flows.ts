import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { Flow } from '../../entities/flow.ts'

/** A Flow as the API shows it. */
export type FlowRecord = ReturnType<typeof toFlowRecord>

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
): Promise<{ data: FlowRecord[]; total: number }> {
  const page = { orderBy: { id: 'desc' }, limit, offset, disableIdentityMap: true } as const
  const [rows, total] = await database.em().findAndCount(Flow, { project_id, channel_id }, page)
  return { data: rows.map(toFlowRecord), total }
}

/** Every column except those of its owner. */
export function toFlowRecord(row: Flow) {
  return {
    id: row.id,
    provider_flow_id: row.provider_flow_id,
    name: row.name,
    status: row.status,
    categories: row.categories,
    validation_errors: row.validation_errors,
    channel_id: row.channel_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
