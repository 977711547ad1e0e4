/** A subscription whose deliveries die is switched off, and its owner gets a mail. */
import t from 'tap'
import { startSmtp } from '../support/mod.ts'
import { eventually } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

const smtp = await startSmtp(t)
// A node with a mail server.
const world = await startWorld(t, {
  config: { webhook_schedule: [0, 0.01, 0.01, 0.01, 0.01], smtp_url: smtp.url, mail_from: 'parley@example.com' },
})
const { sink } = world

const RECEIVED = 'whatsapp.message.received'

t.test(
  'fifty dead deliveries in a row switch a subscription off; a success in between starts the count anew',
  async (t) => {
    const tenant = await makeTenant(world)
    let works = false
    sink.answer('dying', () => (works ? 200 : 500))
    const { id } = await tenant.subscribe('dying', [RECEIVED])
    let written = 0
    const write = async (count: number) => {
      for (let i = 0; i < count; i++) await tenant.writes('+15557100006', `message ${written++}`)
    }
    const health = async () => (await tenant.api('GET', `webhooks/${id}`)).body
    const counted = (count: number) =>
      eventually(`${count} failures`, async () => (await health()).failure_count === count)
    await write(3)
    await counted(3)
    works = true
    await write(1)
    await counted(0)
    works = false
    await write(49)
    await counted(49)
    t.match(await health(), { is_active: true, disabled_reason: null })
    await write(1)
    const off = await eventually('switched off', async () => {
      const now = await health()
      return !now.is_active && now
    })
    t.match(off, { failure_count: 50, disabled_reason: 'excessive_failures' })
    const { data } = (await world.operator('GET', `audit?target_id=${id}&actor_kind=system`)).body
    t.match(data, [{ action: 'disable_webhook', before: { is_active: true }, after: { is_active: false } }])
    const [mail] = await eventually('a mail', () => smtp.mails.length > 0 && smtp.mails)
    t.match(mail!.to, [/^owner-.*@example\.com$/])
    t.match(mail!.text, new RegExp(`${id}.*50 deliveries in a row.*HTTP status 500`, 's'))
    await write(1)
    t.equal((await tenant.deliveries(id)).length, 54, 'an event after that makes no delivery')
    const { body } = await tenant.api('PATCH', `webhooks/${id}`, { is_active: true })
    t.match(body, { is_active: true, failure_count: 0, disabled_reason: null })
    works = true
    await write(1)
    await eventually('delivered', async () => (await tenant.deliveries(id, '&status=success')).length === 2)
    t.equal(smtp.mails.length, 1, 'the owner is told once')
  },
)
