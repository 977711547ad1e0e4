/** The records that the steps of `audit_routes.test.ts` make and use. */
import type { Database } from '../../../storage/mod.ts'
import type { Answer, Json } from '../client.ts'
import type { Tenant, World } from '../fixture.ts'

/** A request that changes something, by the operation of its route. Later steps use the records of earlier ones. */
export type Step = [operation: string, ask: () => Promise<Answer>]

/** In every secret of the steps. */
export const SECRET = 'S3CRET'

export type Scene = ReturnType<typeof sceneOf>

export function sceneOf(world: World, tenant: Tenant, database: Database) {
  const { operator } = world
  const made: Record<string, Json> = {}
  return {
    world,
    tenant,
    database,
    /** The bodies of answers, by the name of the record. */
    made,
    async keep(name: string, answer: Promise<Answer>): Promise<Answer> {
      const kept = await answer
      made[name] = kept.body
      return kept
    },
    id: (name: string): string => made[name]._id ?? made[name].id,
    post: (path: string, json: Json = {}) => operator('POST', path, json),
    patch: (path: string, json: Json) => operator('PATCH', path, json),
    remove: (path: string) => operator('DELETE', path),
  }
}
