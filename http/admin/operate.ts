import type { OperatorAnswer, OperatorCommand, RequestProtocol } from '../../actors/mod.ts'
import { type Address, Refusal, Unavailable } from '../../runtime/mod.ts'
import type { RequestContext } from '../server/route/route.ts'

/**
 * Sends a command to the actor of a project, which alone writes the records of most features.
 * Under an idempotency key, the project runs the command once.
 * @param repeatable processing the command twice does no harm
 * @throws {Refusal} with the code that the actor refuses with
 */
export async function operate<const C extends OperatorCommand>(
  { runtime, origin, key }: Pick<RequestContext, 'runtime' | 'origin' | 'key'>,
  project_id: string,
  command: C,
  { repeatable = false } = {},
): Promise<{ body: OperatorAnswer<C>; replayed: boolean }> {
  const address: Address<RequestProtocol> = `project/${project_id}`
  const idempotency = key?.idempotencyIn(project_id)
  const message = { type: 'operate' as const, command, origin, idempotency }
  const result = await runtime.ask(address, message, { repeatable: repeatable || idempotency !== undefined })
  if ('error' in result) {
    const { code, message, details, retry_after } = result.error
    if (code === 'SERVICE_UNAVAILABLE') throw new Unavailable(message, retry_after)
    throw new Refusal(code, { message, details })
  }
  const { json, body = json === undefined ? {} : JSON.parse(json) } = result
  return { body: (body ?? {}) as OperatorAnswer<C>, replayed: result.replayed === true }
}
