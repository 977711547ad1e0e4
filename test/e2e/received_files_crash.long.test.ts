/** Files of people whose node is killed at any line between the receipt of the message and the end of the fetch. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json, sleep } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const KILLS = 4
const FILES_A_KILL = 5
const STEP_MS = 60

t.test('a file is stored once, whenever the node that fetches it is killed', async (t) => {
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const bot = { bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', webhook_secret: 'a-secret_token' }
  const credentials = { ...bot, api_base_url: world.simulator_url }
  const fields = { project_id: tenant.project_id, channel_type: 'telegram', provider: 'simulator', name: 'Bot' }
  const channel = await made(world.operator('POST', 'channels', { ...fields, credentials }))
  const webhook_url = `${world.base_url}/providers/telegram/${channel._id}`
  await made(world.control('PUT', 'bots', { ...bot, webhook_url }))
  // Each kill meets fetches at other lines.
  const match = { channel: 'telegram', operation: 'download' }
  await made(world.control('POST', 'faults', { match, latency_ms: STEP_MS }))

  const sent = KILLS * FILES_A_KILL
  for (let kill = 0; kill < KILLS; kill++) {
    for (let n = 0; n < FILES_A_KILL; n++) {
      const document = { data: randomBytes(50_000).toString('base64'), file_name: `${kill}-${n}.own` }
      await made(world.control('POST', 'inbound', { channel: 'telegram', from: 518273640, message: { document } }))
    }
    await sleep(STEP_MS * kill)
    await world.process().end('SIGKILL')
    await world.start()
  }
  const messages = await eventually('every file', async () => {
    const { body } = await tenant.api('GET', 'messages?direction=inbound&limit=200')
    const stored = (body.data ?? []).filter((one: Json) => one.message.media_status === 'stored')
    return stored.length === sent && stored
  })
  t.equal(new Set(messages.map((one: Json) => one.message.filename)).size, sent, 'each file has one message')
  const kept = await database.execute(`select * from media where expires_at > now() + interval '1 day'`)
  t.equal(kept.length, sent, 'each message has one file; what attempts have left ends within the hour')
  t.same(await database.execute('select * from media_fetch'), [], 'nothing is left to do')
})
