/** The limit of a channel's backlog: beyond it, senders get 503 at once and nothing is written. */
import t from 'tap'
import { eventually } from './client.ts'
import { makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const MAX = 20
/** A recipient whose messages get no answer: every later message waits behind the first. */
const SILENT = '+15550180003'

t.test('sends to a channel whose backlog is full are refused at once', async (t) => {
  const world = await startKillable(t, {
    waits: { send_ms: 4000, confirm_ms: 4000 },
    env: async () => ({ PARLEY_CHANNEL_BACKLOG: String(MAX) }),
  })
  const [full, other] = [await makeTenant(world), await makeTenant(world)]
  let accepted = 0
  const refused = await eventually('a send is refused', async () => {
    const answer = await full.send(SILENT)
    if (answer.status === 202) accepted++
    return answer.status !== 202 && answer
  })
  t.equal(refused.status, 503)
  t.match(refused.headers, { 'retry-after': /^[0-9]+$/ }, JSON.stringify(refused.headers))
  t.equal(refused.body.error.code, 'SERVICE_UNAVAILABLE')
  t.ok(accepted >= MAX, `${accepted} were accepted`)
  t.equal((await other.send('+15550180000')).status, 202, 'other channels still accept')
  const { body } = await full.api('GET', 'messages?limit=100')
  t.equal(body.data?.length ?? accepted, accepted, 'refused messages are not stored')
})
