/** Confirming an appointment whose slot was taken past the constraint. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import type { Json } from './client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

const HOUR_MS = 3_600_000
let slots = 0
/** Times that no other test uses. */
function slot(): { starts_at: string; ends_at: string } {
  const at = Date.UTC(2030, 0, 1) + ++slots * HOUR_MS
  return { starts_at: new Date(at).toISOString(), ends_at: new Date(at + HOUR_MS / 2).toISOString() }
}

const refusal = (status: number, code: string, details?: Json) => ({
  status,
  body: { error: { code, ...(details && { details }) } },
})

t.test('confirming checks the slot again', async (t) => {
  // It takes a constraint off a table.
  const world = await startWorld(t)
  const { operator } = world
  const tenant = await makeTenant(world)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const create = (fields: Json) => operator('POST', 'appointments', { project_id: tenant.project_id, ...fields })
  const times = { ...slot(), assigned_to: tenant.user_id }
  const one = await made(create(times))
  // As a database is that an operator has repaired by hand.
  await database.execute('alter table appointment drop constraint appointment_slot')
  const other = await made(create({ ...times, assigned_to: null }))
  await database.execute('update appointment set assigned_to = ? where id = ?', [times.assigned_to, other.id])
  const details = { appointment_id: one.id, number: one.number }
  for (const ask of [
    tenant.api('POST', `scheduling/appointments/${other.id}/confirm`),
    operator('POST', `appointments/${other.id}/confirm`),
    operator('PATCH', `appointments/${other.id}`, { status: 'confirmed' }),
  ]) {
    t.match(await ask, refusal(409, 'APPOINTMENT_SLOT_TAKEN', details))
  }
  t.match(await operator('POST', `appointments/${one.id}/cancel`), { status: 200 })
  t.match(await tenant.api('POST', `scheduling/appointments/${other.id}/confirm`), { status: 200 })
})
