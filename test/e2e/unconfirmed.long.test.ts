/** A message that the provider took without saying so reaches the person once, and its record says what is not known. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { made, makeTenant, startWorld, text } from './fixture.ts'
import { makeOffice } from './inbox_client.ts'

/** The simulator takes the message and resets the connection, or never answers. */
const RESET = '15550180002'
const SILENT = '15550180004'

// Short waits: other files would see messages in doubt too early.
const world = await startWorld(t, { waits: { confirm_ms: 700, send_ms: 500 } })
const OUTCOME_UNKNOWN = [{ code: 'OUTCOME_UNKNOWN', message: String }]

t.test('Telegram', async (t) => {
  const tenant = await makeTenant(world)
  const [bot_token, webhook_secret] = ['110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', 'a-secret_token']
  const credentials = { bot_token, webhook_secret, api_base_url: world.simulator_url }
  const fields = { channel_type: 'telegram', name: 'Bot', provider: 'simulator', credentials }
  const channel = await made(world.operator('POST', 'channels', { project_id: tenant.project_id, ...fields }))
  const webhook_url = `${world.base_url}/providers/telegram/${channel._id}`
  await world.control('PUT', 'bots', { bot_token, webhook_secret, webhook_url })
  await tenant.subscribe('told', ['telegram.message.sent'])
  for (const person of [RESET, SILENT]) {
    await world.control('POST', 'inbound', { channel: 'telegram', from: Number(person), name: 'Ana', message: 'Hi' })
    const { id } = await made(tenant.send(person, { channel: 'telegram', message: text(`To ${person}`) }))
    const message = await tenant.message(id, 'sent')
    t.match(message, { confirmed: false, warnings: OUTCOME_UNKNOWN, error: null, waiting: null })
    const event = await eventually('its event', () =>
      world.sink.events('told').find(({ data }: Json) => data.message_id === id),
    )
    t.match(event.data, { confirmed: false, warnings: OUTCOME_UNKNOWN })
    const { data } = (await world.control('GET', 'sent?limit=1000')).body
    const copies = data.filter((one: Json) => JSON.stringify(one).includes(`To ${person}`))
    t.equal(copies.length, 1, person)
  }
})

t.test('WhatsApp, with a wrong address for callbacks', async (t) => {
  const newProject = await makeOffice(world)
  const { tenant, agents } = await newProject()
  const [{ ask }] = agents
  const { channel_id, ...account } = tenant.number
  await made(world.control('PUT', 'numbers', { ...account, webhook_url: 'http://127.0.0.1:1/nobody' }))
  const { id } = await made(tenant.send(`+${RESET}`))
  t.match(await tenant.message(id, 'sent'), { confirmed: false, warnings: OUTCOME_UNKNOWN, retried_as: null })
  t.equal((await tenant.sent()).length, 1)

  t.test('a person may send it again', async (t) => {
    const again = await made(ask('POST', `messages/${id}/retry`))
    t.match(again, { retry_of: id, status: 'queued' })
    await tenant.message(again.id, 'sent')
    t.equal((await tenant.sent()).length, 2)
    t.match(await tenant.message(id, 'sent'), { retried_as: again.id })
  })

  t.test('a report that comes later confirms it', async (t) => {
    const webhook_url = `${world.base_url}/providers/whatsapp/${channel_id}`
    await made(world.control('PUT', 'numbers', { ...account, webhook_url }))
    await tenant.writes('+15557100009', 'Callbacks arrive')
    const { id: later } = await made(tenant.send(`+${RESET}`))
    t.match(await tenant.message(later, 'delivered', 'read'), { confirmed: true, warnings: [] })
  })
})
