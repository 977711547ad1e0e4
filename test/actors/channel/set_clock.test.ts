/** The clock of the database is set while a channel waits for its provider's callbacks. */
import t from 'tap'
import { systemClock } from '../../../runtime/time/clock.ts'
import { until } from '../../runtime/support/wait.ts'
import { startChannel } from './channel_node.ts'

const HOUR_MS = 3_600_000
const LOST = { failure: { kind: 'unknown', code: 'timeout', message: 'No answer.', maybe_accepted: true } } as const

function clockAhead() {
  let ahead_ms = 0
  const clock = { ...systemClock, now: () => systemClock.now() + ahead_ms }
  const set = (ms: number) => {
    ahead_ms = ms
  }
  return { clock, set }
}

t.test(
  'a clock that is set forward by an hour does not end the wait for the callback of a message in doubt',
  async (t) => {
    const { clock, set } = clockAhead()
    const { send, sent, dispatches, query } = await startChannel(t, () => LOST, { clock, confirm_ms: 600_000 })
    await send('ana', 'Hello')
    await until(async () => (await dispatches()).some(({ last_error }) => last_error !== null))
    set(HOUR_MS)
    const later = `select 1 as one from timer where name = 'due' and due_at > now() + interval '1 hour'`
    await until(async () => (await query(later)).length === 1 || sent.length > 1, 30_000)
    t.equal(sent.length, 1)
  },
)

t.test('a clock that is set forward by an hour does not make a channel deaf', async (t) => {
  const { clock, set } = clockAhead()
  let probes = 0
  const probe = async () => {
    probes++
    return { account: {} }
  }
  const answer = (_: object, count: number) => ({ sent: `provider ${count}` })
  const { send, ask, ended, channel } = await startChannel(t, answer, {
    clock,
    confirms: true,
    probe,
    probe_ms: 600_000,
  })
  for (const recipient of ['ana', 'ben', 'cat']) await send(recipient, 'Hello')
  await until(async () => (await ended()).accepted!.length === 3)
  set(HOUR_MS)
  await until(() => probes > 0, 30_000)
  await ask({ type: 'heard' })
  t.equal((await channel())!.status, 'connected')
  t.same((await ended()).statuses, [])
})
