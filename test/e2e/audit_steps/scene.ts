/** The records that the steps of `audit_routes.test.ts` make and use. */
import type { Database } from '../../../storage/mod.ts'
import { type Answer, eventually, type Json } from '../client.ts'
import { made, type Tenant, type World } from '../fixture.ts'

/** A request that changes something, by the operation of its route. Later steps use the records of earlier ones. */
export type Step = [operation: string, ask: () => Promise<Answer>]

/** In every secret of the steps. */
export const SECRET = 'S3CRET'

export type Scene = ReturnType<typeof sceneOf>

export function sceneOf(world: World, tenant: Tenant, database: Database) {
  const { operator } = world
  const records: Record<string, Json> = {}
  return {
    world,
    tenant,
    database,
    /** The bodies of answers, by the name of the record. */
    made: records,
    async keep(name: string, answer: Promise<Answer>): Promise<Answer> {
      const kept = await answer
      records[name] = kept.body
      return kept
    },
    id: (name: string): string => records[name]._id ?? records[name].id,
    post: (path: string, json: Json = {}) => operator('POST', path, json),
    patch: (path: string, json: Json) => operator('PATCH', path, json),
    remove: (path: string) => operator('DELETE', path),
  }
}

/** The ticket of a person who has just written. */
export async function ticketOfWriter({ api, writes }: Tenant, phone: string): Promise<string> {
  await writes(phone, 'Where is my order?')
  const contact = await eventually('the contact is there', async () => {
    const { data } = await made(api('GET', `contacts?phone=%2B${phone}`))
    return data[0]
  })
  return (await made(api('GET', `crm/tickets?chat_user=${contact._id}`))).data[0]._id
}
