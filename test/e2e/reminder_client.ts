/** Appointments with reminders, as an operator books them, and what becomes of the reminders. */
import { eventually, type Json } from './client.ts'
import { made, type Outside, type Tenant } from './fixture.ts'

export const HOUR_MS = 3_600_000
/** Enough for a few requests on a busy machine: a reminder that is due before its request arrives is skipped. */
export const SOON_MS = 4_000
export const LATER_MS = 8_000

/** Times of an appointment whose reminder is due in `ms`. */
export const dueIn = (ms: number) => {
  const at = Date.now() + ms + 24 * HOUR_MS
  return { starts_at: new Date(at).toISOString(), ends_at: new Date(at + HOUR_MS).toISOString() }
}

export const reminder = (fields: Json = {}) => ({
  hours_before: 24,
  template_name: 'order_update',
  template_language: 'en_US',
  variables: { 1: 'Ana', 2: '{number}' },
  ...fields,
})

/** The appointments of a project. Each person whom it makes has a number of their own. */
export function appointmentsOf({ operator }: Pick<Outside, 'operator'>, tenant: Tenant) {
  const { api, project_id } = tenant
  let people = 0
  const newPerson = async () => {
    const user_id = String(15557400000 + ++people)
    const { _id } = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id }))
    return { chat_user: _id as string, user_id }
  }
  const read = async (id: string): Promise<Json> => made(() => operator('GET', `appointments/${id}`))
  return {
    newPerson,
    read,
    async book(ms: number, fields: Json = {}): Promise<Json> {
      const person = await newPerson()
      const appointment = { project_id, ...dueIn(ms), chat_user: person.chat_user, reminder: reminder(), ...fields }
      return { ...person, ...(await made(operator('POST', 'appointments', appointment))) }
    },
    change: (id: string, patch: Json): Promise<Json> => made(operator('PATCH', `appointments/${id}`, patch)),
    becomes: (id: string, status: string): Promise<Json> =>
      eventually(`the reminder of ${id} is ${status}`, async () => {
        const found = await read(id)
        return found.reminder.status === status && found
      }),
    sentTo: async (user_id: string): Promise<Json[]> =>
      (await tenant.sent()).filter(({ recipient }) => recipient === user_id),
  }
}
