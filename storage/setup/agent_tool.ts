import type { Database } from '../database/database.ts'
import { AgentTool } from '../entities/mod.ts'
import { changeRecord } from './records.ts'

/**
 * Switches a tool off or on. The project reads the row in each turn, so it need not be told.
 * @throws {ChangeRefused} NOT_FOUND
 */
export function switchAgentTool(database: Database, _id: string, is_active: boolean): Promise<AgentTool> {
  return changeRecord(database, AgentTool, _id, (row) => void Object.assign(row, { is_active }))
}
