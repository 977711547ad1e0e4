/** Uploads of example files that a provider never ends keep no template of others from being submitted. */
import t from 'tap'
import { upload } from '../http/media_client.ts'
import { files } from '../http/media_files.ts'
import { eventually } from './client.ts'
import { connectNumber, joinWorld, made, makeTenant, outside, startSimulatorFor, type Tenant } from './fixture.ts'

/** Fewer than the connections that a test may open. */
const MANY = 40

const world = await joinWorld(t)

async function submit(tenant: Tenant, header_image: string, name: string, channel_id: string) {
  const components = [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Our offer of the week.' },
  ]
  const fields = { name, language: 'en_US', category: 'MARKETING', components, examples: { header_image }, channel_id }
  return tenant.api('POST', 'messages/templates', fields)
}

t.test('uploads that hang', async (t) => {
  const stuck = await startSimulatorFor(t)
  const elsewhere = { ...outside(world.http, world.base_url, stuck.url), sink: world.sink }
  const [tenant, other] = [await makeTenant(world), await makeTenant(world)]
  // The provider of this number takes the session, and the bytes without an answer.
  const { channel_id: hung } = await connectNumber(elsewhere, tenant.project_id)
  const match = { channel: 'whatsapp', operation: 'uploads', type: 'file' }
  await made(elsewhere.control('POST', 'faults', { match, hang: 'after' }))
  const media = async (one: Tenant) => (await made(upload(one, files.png, { purpose: 'note' }))).media_id
  const own = await media(tenant)
  let is_over = false
  t.teardown(() => {
    is_over = true
  })
  for (let n = 0; n < MANY; n++) {
    const again = async () => {
      while (!is_over) await submit(tenant, own, `hung_${n}`, hung)
    }
    // They are cut when the test ends, and the uploads with the provider.
    again().catch(() => {})
  }
  await eventually('all of them hang', async () => {
    const { body } = await elsewhere.control('GET', 'faults')
    return body.data[0].hits >= MANY
  })
  t.equal((await submit(tenant, own, 'own', tenant.number.channel_id)).status, 201)
  t.equal((await submit(other, await media(other), 'of_others', other.number.channel_id)).status, 201)
})
