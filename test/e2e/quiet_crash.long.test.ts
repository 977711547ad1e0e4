/** A quiet copy whose node dies: nothing goes out, and what waits is sent once after the resume, without a doubt. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { people, sendBulk } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant, text } from './fixture.ts'
import { startKillable } from './killable.ts'

const EACH = 10
const PERSON = '77001'

t.test('kill -9 of a quiet node lets nothing out and leaves no doubt', async (t) => {
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  const [bot_token, webhook_secret] = ['110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', 'a-secret_token']
  const credentials = { bot_token, webhook_secret, api_base_url: world.simulator_url }
  const fields = { channel_type: 'telegram', name: 'Bot', provider: 'simulator', credentials }
  const channel = await made(() => world.operator('POST', 'channels', { project_id: tenant.project_id, ...fields }))
  const webhook_url = `${world.base_url}/providers/telegram/${channel._id}`
  await world.control('PUT', 'bots', { bot_token, webhook_secret, webhook_url })
  await world.control('POST', 'inbound', { channel: 'telegram', from: Number(PERSON), name: 'Ana', message: 'Hi' })
  await tenant.writes('+15557700001', 'Hi')
  const hook = await tenant.subscribe('quiet', ['whatsapp.message.sent', 'crm.contact.created'])
  const polled = await made(
    tenant.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events: ['crm.contact.created'] }),
  )
  const heard = () => world.sink.calls('quiet').length
  const sentBefore = (await world.control('GET', 'sent?limit=10000')).body.data.length

  // As after a restore.
  t.equal(await world.process().end('SIGTERM'), 0)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  await database.execute(`update cluster set home = 'restored'`)
  await world.start()
  const before = heard()

  const ids: string[] = []
  const keep = async (asked: () => ReturnType<typeof tenant.send>) => ids.push((await made(asked)).id)
  const contact = (n: string) =>
    made(() => tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: n, name: n }))
  const bulks: string[] = []
  const begin = async (round: number) => {
    for (let n = 0; n < EACH; n++) {
      await keep(() => tenant.send('+15557700001', { message: text(`whatsapp ${round} ${n}`) }))
      await keep(() => tenant.send(PERSON, { channel: 'telegram', message: text(`telegram ${round} ${n}`) }))
    }
    bulks.push(await sendBulk(tenant, people(EACH, 1000 * round)))
    await contact(`78${round}`)
  }
  for (const round of [1, 2]) {
    await begin(round)
    // Nothing can be waited for that must not happen.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    await world.process().end('SIGKILL')
    await world.start()
  }
  t.equal((await world.control('GET', 'sent?limit=10000')).body.data.length, sentBefore, 'nothing is sent')
  t.equal(heard(), before, 'no webhook')
  const { data } = await made(() => tenant.api('GET', `webhooks/${polled.id}/poll`))
  t.strictSame(
    data.map(({ data }: Json) => data.name).filter((name: string | null) => name?.startsWith('78')),
    ['781', '782'],
    'receivers may poll',
  )
  for (const id of ids) {
    const { body } = await tenant.api('GET', `messages/${id}`)
    t.match(body, { status: 'queued', error: null }, `${id} waits`)
  }

  t.match((await world.operator('POST', 'cluster/resume')).body, { resumed: true })
  for (const id of ids) {
    const message = await tenant.message(id, 'sent', 'delivered', 'read', 'failed')
    t.match(message, { confirmed: true, warnings: [], error: null })
  }
  for (const id of bulks)
    await eventually('the bulk send', async () => {
      const { body } = await tenant.api('GET', `messages/bulk/${id}`)
      return body.pending_count === 0 && body.failed_count === 0
    })
  await eventually('the webhooks', async () =>
    (await tenant.deliveries(hook.id)).every(({ status }) => status === 'success'),
  )
  const all: string[] = (await world.control('GET', 'sent?limit=10000')).body.data.map((one: Json) =>
    JSON.stringify(one),
  )
  t.equal(all.length, sentBefore + ids.length + bulks.length * EACH, 'each once')
  t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
})
