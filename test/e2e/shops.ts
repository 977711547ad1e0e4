/** Tenants that record events, with the tables behind them. */
import { type EventField, objectId, openDatabase } from '../../storage/mod.ts'
import type { Answer, Json } from './client.ts'
import { made, makeTenant, type World } from './fixture.ts'
import type { Judge } from './sink.ts'

let people = 0

export type Shop = Awaited<ReturnType<Awaited<ReturnType<typeof startShops>>['setUp']>>

/** Returns the status, the code and the named fields of a refusal. */
export const fieldsOf = (answer: Answer) => [answer.status, answer.body.error?.code, answer.body.error?.details?.fields]

export async function startShops(t: Judge, world: World) {
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
  t.teardown(() => database.close())
  const rows = (sql: string, params: unknown[]) => database.execute<Json>(sql, params)

  /** Makes a tenant whose company has these event types, with a function that makes contacts. */
  async function setUp(types: Record<string, EventField[]> = {}, limits?: object) {
    const tenant = await makeTenant(world, limits)
    const { company_id, project_id } = tenant
    for (const [key, fields] of Object.entries(types)) {
      await made(world.operator('POST', 'event-types', { company_id, key, name: key, fields }))
    }
    const contact = async (fields: Json = {}) => {
      const phone = `+521551${String(++people).padStart(7, '0')}`
      const contact = { _id: objectId(), phone, ...fields }
      const { _id, customer_id = null, last_seen_at = new Date(), project = project_id } = contact
      await rows(
        `insert into contact (_id, company_id, project_id, channel_type, user_id, phone, customer_id, custom_fields,
           first_seen_at, last_seen_at, created_at, updated_at)
         values (?, ?, ?, 'telegram', ?, ?, ?, '{}', now(), ?, now(), now())`,
        [_id, company_id, project, `u${_id}`, contact.phone, customer_id, last_seen_at],
      )
      return contact as { _id: string; phone: string }
    }
    const record = (body: Json, call?: Json): Promise<Answer> =>
      tenant.api('POST', 'crm/events', { event_type: 'payment.link_sent', data: {}, ...body }, call)
    const events = async () => rows('select * from crm_event where project_id = ? order by _id', [project_id])
    const tickets = async () => rows('select * from ticket where project_id = ? order by _id', [project_id])
    return { ...tenant, contact, record, events, tickets }
  }

  return { rows, setUp }
}
