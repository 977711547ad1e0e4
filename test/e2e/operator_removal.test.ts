/** Operators delete records at once with others, and records that somebody still needs. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const { company_id, project_id } = tenant

const credentials = { visitor_secret: 'a secret that only your pages know' }
const kinds: [path: string, fields: object][] = [
  ['companies', { name: 'Gone' }],
  ['projects', { company_id, name: 'Gone' }],
  ['users', { company_id, full_name: 'Gone', email: `gone-${randomUUID()}@example.com` }],
  ['channels', { project_id, channel_type: 'web', provider: 'simulator', name: 'Gone', credentials }],
  ['customers', { company_id, full_name: 'Gone' }],
  ['programs', { project_id, name: 'Gone', type: 'points' }],
]

for (const [path, fields] of kinds) {
  t.test(`of several requests that delete one of the ${path}, one does`, async (t) => {
    const { _id } = await made(operator('POST', path, fields))
    const answers = await Promise.all(Array.from({ length: 5 }, () => operator('DELETE', `${path}/${_id}`)))
    t.strictSame(answers.map(({ status }) => status).toSorted(), [204, 404, 404, 404, 404])
    const { data } = await made(operator('GET', `audit?target_id=${_id}`))
    t.equal(data.length, 2, 'the audit names the creation and one deletion')
  })
}

t.test('a user is deleted once no open ticket is assigned to the user', async (t) => {
  const person = {
    company_id,
    full_name: 'Ana',
    email: `ana-${randomUUID()}@example.com`,
    permissions: ['console.agent'],
  }
  const { _id: assigned_to } = await made(operator('POST', 'users', person))
  const contact = await made(tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: '7' }))
  const event = { event_type: 'payment.link_sent', data: {}, chat_user_id: contact._id }
  const ticket = `crm/tickets/${(await made(tenant.api('POST', 'crm/events', event))).event.ticket_id}`
  await made(tenant.api('PATCH', ticket, { assigned_to }))
  const { status, body } = await operator('DELETE', `users/${assigned_to}`)
  t.equal(status, 409)
  t.match(body.error, { code: 'IN_USE', details: { held_by: { open_tickets: 1 } } })
  t.match(body.error.message, /^This user still has 1 open ticket\. .*is_active/)
  await made(tenant.api('PATCH', ticket, { is_closed: true }))
  t.equal((await operator('DELETE', `users/${assigned_to}`)).status, 204)
  await made(tenant.api('PATCH', ticket, { is_closed: false }))
  const of_deleted = await made(tenant.api('GET', `crm/tickets?assigned_to=${assigned_to}`))
  t.strictSame(of_deleted.data, [], 'opened again, it is nobody’s')
})
