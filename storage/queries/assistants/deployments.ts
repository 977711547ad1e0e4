import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { Assistant } from '../../entities/assistants/assistant.ts'
import { AssistantDeployment } from '../../entities/assistants/assistant_deployment.ts'

/** `is_active`: that of the assistant. `rows` are in their order. */
export type DeploymentsOfAssistant = {
  assistant_id: string
  project_id: string
  is_active: boolean
  rows: AssistantDeployment[]
}

/** The deployments of all assistants of the projects that have any. */
export async function readDeploymentsOf(database: Database, project_ids: string[]): Promise<DeploymentsOfAssistant[]> {
  const rows = await readRows(database, AssistantDeployment, { project_id: project_ids })
  if (rows.length === 0) return []
  const grouped = Map.groupBy(rows, ({ assistant_id }) => assistant_id)
  const assistants = await readRows(database, Assistant, { _id: [...grouped.keys()] })
  return assistants.map(({ _id, project_id, is_active }) => ({
    ...{ assistant_id: _id, project_id, is_active },
    rows: inOrder(grouped.get(_id)!),
  }))
}

/** The deployments of one assistant, in their order. */
export async function listDeployments(database: Database, assistant_id: string): Promise<AssistantDeployment[]> {
  return inOrder(await readRows(database, AssistantDeployment, { assistant_id }))
}

function inOrder(rows: AssistantDeployment[]): AssistantDeployment[] {
  return rows.sort((one, other) => one.position - other.position)
}
