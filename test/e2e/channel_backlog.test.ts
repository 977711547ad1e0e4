/** A channel takes so many messages that wait, and no more: then senders hear 503, at once and with nothing written. */
import t from 'tap'
import { eventually } from './client.ts'
import { makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const MOST = 20
/** Never answered: whatever is sent to it waits behind the first. */
const SILENT = '+15550180003'

t.test('sends to a channel whose backlog is full are refused at once', async (t) => {
  const world = await startKillable(t, {
    waits: { send_ms: 4000, confirm_ms: 4000 },
    env: async () => ({ PARLEY_CHANNEL_BACKLOG: String(MOST) }),
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
  t.ok(accepted >= MOST, `${accepted} were accepted`)
  t.equal((await other.send('+15550180000')).status, 202, 'nobody else is refused')
  const { body } = await full.api('GET', 'messages?limit=100')
  t.equal(body.data?.length ?? accepted, accepted, 'what was refused is not stored')
})
