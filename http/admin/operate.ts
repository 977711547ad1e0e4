import type { OperatorCommand, RequestProtocol } from '../../actors/mod.ts'
import { type Address, Refusal, Unavailable } from '../../runtime/mod.ts'
import type { RequestContext } from '../server/route.ts'

/**
 * Sends a command to the actor of a project, which alone writes the records of most features.
 * @param repeatable processing the command twice does no harm
 * @throws {Refusal} with the code that the actor refuses with
 */
export async function operate(
  { runtime, origin }: Pick<RequestContext, 'runtime' | 'origin'>,
  project_id: string,
  command: OperatorCommand,
  { repeatable = false } = {},
): Promise<{ body: object; replayed: boolean }> {
  const address: Address<RequestProtocol> = `project/${project_id}`
  const result = await runtime.ask(address, { type: 'operate', command, origin }, { repeatable })
  if ('error' in result) {
    const { code, message, details, retry_after } = result.error
    if (code === 'SERVICE_UNAVAILABLE') throw new Unavailable(message, retry_after)
    throw new Refusal(code, { message, details })
  }
  return { body: (result.body ?? {}) as object, replayed: result.replayed === true }
}
