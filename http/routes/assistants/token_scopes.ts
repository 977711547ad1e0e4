import { Refusal } from '../../../runtime/mod.ts'
import { findToken } from '../../../storage/mod.ts'
import type { RequestContext } from '../../server/route/route.ts'

/** Guards an operation that needs more than the scope of its route. @throws {Refusal} INSUFFICIENT_SCOPE, for agents as well */
export async function mustHaveScopes(
  { database, project_id, token_id }: Pick<RequestContext, 'database' | 'project_id' | 'token_id'>,
  required: string[],
): Promise<void> {
  const scopes: readonly string[] = (await findToken(database, project_id, token_id))?.scopes ?? []
  const missing = required.filter((scope) => !scopes.includes(scope))
  if (missing.length > 0) throw new Refusal('INSUFFICIENT_SCOPE', { details: { required, missing } })
}
