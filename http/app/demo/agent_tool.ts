/** A tool of the demo's assistant, which the simulator answers. */
import { type DemoRecords, objectId } from '../../../storage/mod.ts'

type Holder = { company_id: string; project_id: string; assistant_id: string }

/** `simulator_url`: the simulator keeps its port over restarts. */
export function demoTool(
  { company_id, project_id, assistant_id }: Holder,
  simulator_url: string,
  now: Date,
): Pick<DemoRecords, 'agent_tool' | 'assistant_tool'> {
  const owner = { company_id, project_id }
  const _id = objectId()
  const number = { type: 'string', pattern: '^A[0-9]{4}$', description: 'The number of the order, such as A1234' }
  return {
    agent_tool: {
      _id,
      ...owner,
      name: 'Order status',
      description: 'Tells the status of an order. Ask for the number of the order first.',
      url: `${simulator_url}/tools/order_status`,
      method: 'POST',
      headers: null,
      parameters: { type: 'object', properties: { number }, required: ['number'], additionalProperties: false },
      timeout_ms: 10_000,
      is_active: true,
      created_at: now,
      updated_at: now,
    },
    assistant_tool: { assistant_id, tool_id: _id, ...owner, position: 0 },
  }
}
