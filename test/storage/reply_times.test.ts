/** The waits of people for an answer, from the messages of a channel. */
import t from 'tap'
import { objectId, prefixedId, readReplyTimes } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { storeMessage, storeTenant } from './records.ts'

const { database } = await testDatabase(t)
const { project } = await storeTenant(database)
const channel_id = objectId()
const START = Date.UTC(2026, 10, 30)

/** Stores the messages of a person: `+` is one of theirs, `-` an answer, each with its second. */
async function conversation(said: string, fields: object = {}) {
  const chat_user = objectId()
  for (const one of said.split(' ')) {
    const direction = one.startsWith('+') ? 'inbound' : 'outbound'
    const at = new Date(START + Number(one.slice(1)) * 1000)
    const status = direction === 'inbound' ? 'received' : 'sent'
    const times = { created_at: at, updated_at: at }
    await storeMessage(database, project, {
      id: prefixedId('msg'),
      channel_id,
      chat_user,
      direction,
      status,
      ...times,
      ...fields,
    })
  }
}

const waits = async () => (await readReplyTimes(database, project._id, channel_id)).sort((one, other) => one - other)

t.test('a wait is from the first message without an answer to the next answer', async (t) => {
  t.same(await waits(), [])
  await conversation('+0 +10 -30 -40 +100 -101')
  await conversation('-5 +20 -320')
  await conversation('+7')
  t.same(await waits(), [1, 30, 300])
})

t.test('answers that failed, and those of other channels, end no wait', async (t) => {
  const chat_user = objectId()
  await conversation('+0', { chat_user })
  await conversation('-50', { chat_user, status: 'failed', failed_at: new Date(START + 50_000) })
  await conversation('-60', { chat_user, channel_id: objectId() })
  t.same(await waits(), [1, 30, 300])
  await conversation('-70', { chat_user })
  t.same(await waits(), [1, 30, 70, 300])
})
