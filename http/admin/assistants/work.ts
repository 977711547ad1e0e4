/** Changes by operators, which the project stores as it stores those of requests. */
import type { AssistantChange, RequestProtocol } from '../../../actors/mod.ts'
import { type Address, Refusal } from '../../../runtime/mod.ts'
import { type Database, findRecord, Project } from '../../../storage/mod.ts'
import { type AssistantHooks, changeAssistants } from '../../routes/assistants/work.ts'
import { operationLimits, settled } from '../../server/changes/operation.ts'
import type { RequestContext } from '../../server/route/route.ts'

export type Owner = { company_id: string; project_id: string }

/**
 * Makes the change and returns its answer.
 * @throws {Refusal} as the change
 * @throws {UpstreamFailure} ASSISTANTS_UPSTREAM_ERROR
 */

export async function changeAsOperator<Body>(
  hooks: AssistantHooks,
  { database, runtime, origin, key }: RequestContext,
  { company_id, project_id }: Owner,
  change: AssistantChange,
): Promise<Body> {
  const deadline = performance.now() + operationLimits().deadline_ms
  const outcome = await changeAssistants(hooks, { database, company_id, project_id }, change, { deadline })
  const { changes, answer, settle } = outcome
  const address = `project/${project_id}` as Address<RequestProtocol>
  const claim = key && { idempotency: key.idempotencyIn(project_id), claim_id: key.claim }
  const reply = await runtime.ask(address, { type: 'conclude', claim, changes, answer, origin }, { repeatable: true })
  const result = await settled(reply, settle)
  if (!('error' in result)) return (result.body ?? JSON.parse(result.json ?? 'null')) as Body
  const { code, message, details } = result.error
  throw new Refusal(code, { message, details })
}

/** The owner of a new record. @throws {Refusal} PROJECT_NOT_FOUND */
export async function projectNamed(database: Database, project_id: string): Promise<Owner> {
  const project = await findRecord(database, Project, project_id)
  if (!project) throw new Refusal('PROJECT_NOT_FOUND')
  return { company_id: project.company_id, project_id }
}

/** A record as operators see it, with its owner. */
export function owned<Record extends { _id: string }>({ _id, ...record }: Record, { company_id, project_id }: Owner) {
  return { _id, company_id, project_id, ...record }
}
