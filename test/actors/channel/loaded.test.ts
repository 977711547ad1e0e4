/** Messages that wait in a channel's queue are sent, whatever becomes of the actor's memory meanwhile. */
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startChannel } from './channel_node.ts'

const TROUBLE = { failure: { kind: 'retry', code: 'down', message: 'Down.', maybe_accepted: false } } as const

t.test('a message that is to be tried again is, after its channel has left memory', async (t) => {
  const answer = (_: object, count: number) => (count === 1 ? TROUBLE : { sent: `provider ${count}` })
  const { node, send, sent, ended } = await startChannel(t, answer, { idle_ms: 200 })
  const id = await send('ana', 'Hello')
  await until(() => node.stats().scheduler.passivated > 0)
  await until(async () => (await ended()).accepted!.length === 1)
  t.strictSame((await ended()).accepted, [id])
  t.equal(sent.length, 2)
})

t.test('a message that is to be tried again is, after its channel was undone with a sender at fault', async (t) => {
  const answer = ({ recipient }: { recipient: string }, count: number) =>
    recipient === 'ana' && count === 2 ? TROUBLE : { sent: `provider ${count}` }
  const { node, send, sent, ended, dispatches } = await startChannel(t, answer)
  const first = await send('zoe', 'The first message goes the usual way')
  await until(async () => (await ended()).accepted!.length === 1)
  const id = await send('ana', 'Hello')
  await until(async () => (await dispatches()).some(({ state, attempts }) => state === 'queued' && attempts === 1))
  await t.rejects(send('ben', 'Never', true))
  t.ok(node.stats().lane.retracted > 0, 'the channel had decided on it')
  await until(async () => (await ended()).accepted!.length === 2)
  t.strictSame((await ended()).accepted, [first, id])
  t.notOk(sent.some(({ recipient }) => recipient === 'ben'))
  t.strictSame(await dispatches(), [])
})

t.test('a message is not sent again while the call of a former state may go on', async (t) => {
  const called = Promise.withResolvers<{ sent: string }>()
  const answer = ({ recipient }: { recipient: string }) => (recipient === 'ana' ? called.promise : { sent: recipient })
  const { node, send, sent, ended, query } = await startChannel(t, answer, { max_ms: 3_600_000 })
  const first = await send('zoe', 'The first message goes the usual way')
  await until(async () => (await ended()).accepted!.length === 1)
  const long = await send('ana', 'With a large file')
  await until(() => sent.length === 2)
  await t.rejects(send('ben', 'Never', true))
  t.ok(node.stats().lane.retracted > 0, 'the channel is loaded anew')
  const last = await send('cat', 'Hello')
  await until(async () => (await ended()).accepted!.length === 2)
  const due = `select due_at > now() + interval '30 minutes' as is_later from timer where name = 'due'`
  await until(async () => (await query(due)).length > 0)
  t.same(await query(due), [{ is_later: true }])
  called.resolve({ sent: 'ana' })
  await until(async () => (await ended()).accepted!.length === 3)
  t.strictSame((await ended()).accepted, [first, last, long])
  t.equal(sent.filter(({ recipient }) => recipient === 'ana').length, 1)
})

t.test('the row that wakes a channel stays from one message to the next, and goes when none follows', async (t) => {
  const { send, ended, query } = await startChannel(t, (_, count) => ({ sent: `provider ${count}` }))
  const wakes = () => query(`select name from timer where address like 'channel/%' and name like '#awake%'`)
  await send('ana', 'Hello')
  await until(async () => (await ended()).accepted!.length === 1)
  const first = await wakes()
  t.equal(first.length, 1)
  await send('ben', 'Hello')
  await until(async () => (await ended()).accepted!.length === 2)
  t.strictSame(await wakes(), first)
  await until(async () => (await wakes()).length === 0, 30_000)
})
