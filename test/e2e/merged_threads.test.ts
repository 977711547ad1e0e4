/** A conversation that another app holds with a contact that was merged: it is moved under its own id, and goes with it. */
import t from 'tap'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)

t.test(
  'a conversation is moved under its own id, wherever the person wrote last, and an undo gives it back',
  async (t) => {
    const tenant = await makeTenant(world)
    const { phone_number_id } = tenant.number
    const [stays, goes] = ['15550730001', '15550730002']
    const simulate = (path: string, body: Json) =>
      made(world.control('POST', path, { channel: 'whatsapp', phone_number_id, ...body }))
    const contactOf = async (phone: string) => (await made(tenant.api('GET', `contacts?search=${phone}`))).data[0]
    const threadsOf = async (id: string): Promise<Json[]> =>
      (await made(tenant.api('GET', `contacts/${id}`))).threads.map(({ holder }: Json) => holder)
    /** True when the provider gives what the person writes to Parley. */
    const isOurs = async (from: string) => {
      const { provider_message_id } = await simulate('inbound', { from, message: 'Whose is it?' })
      const { data } = await made(world.control('GET', 'webhooks?limit=50'))
      const call = data.find(({ label }: Json) => label === `message ${provider_message_id}`)
      return !JSON.stringify(call ?? '').includes('standby')
    }
    await simulate('inbound', { from: goes, message: 'Hello' })
    await simulate('inbound', { from: stays, message: 'Hello' })
    const [survivor, former] = [await contactOf(stays), await contactOf(goes)]
    await simulate('threads', { recipient: goes, holder: 'meta_agent' })
    await simulate('inbound', { from: goes, message: 'Are you there?' })
    await simulate('inbound', { from: stays, message: 'I write here now' })
    const merge = await made(tenant.api('POST', `contacts/${survivor._id}/merge`, { from_contact_id: former._id }))
    t.equal((await made(tenant.api('GET', `contacts/${survivor._id}`))).send_to, `+${stays}`)
    t.same(await threadsOf(survivor._id), ['meta_agent'])
    await made(tenant.api('POST', `contacts/${survivor._id}/take-thread`))
    t.same(await threadsOf(survivor._id), ['parley'])
    t.ok(await isOurs(goes), 'the conversation of the merged id was taken')
    await made(tenant.api('POST', `contacts/${former._id}/release-thread`, { to: 'ai_agent' }))
    t.same(await threadsOf(survivor._id), ['meta_agent'], 'and is given back under it')
    await made(tenant.api('POST', `contacts/${survivor._id}/merges/${merge._id}/undo`))
    t.same(await threadsOf(former._id), ['meta_agent'], 'after the undo it is that of its contact')
    t.same(await threadsOf(survivor._id), [])
  },
)
