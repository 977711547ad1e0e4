/** Messages of a channel that is deleted while they are on their way: each ends, and none is forgotten. */
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startChannel } from './channel_node.ts'

const TROUBLE = { failure: { kind: 'retry', code: 'down', message: 'Down.', maybe_accepted: false } } as const

t.test('messages that wait are refused, and a call under way ends its own', async (t) => {
  const called = Promise.withResolvers<{ sent: string }>()
  const { node, send, ended, dispatches, query, channel_id } = await startChannel(t, ({ recipient }) =>
    recipient === 'ana' ? called.promise : TROUBLE,
  )
  const under_way = await send('ana', 'First')
  const behind = await send('ana', 'Second')
  const troubled = await send('ben', 'Hello')
  await until(async () => (await dispatches()).some(({ state, attempts }) => state === 'queued' && attempts === 1))
  await query(`delete from channel where _id = '${channel_id}'`)
  await node.ask(`channel/${channel_id}`, { type: 'refresh' })
  await until(async () => (await ended()).refused!.length === 2)
  t.strictSame((await ended()).refused!.toSorted(), [behind, troubled].toSorted())
  called.resolve({ sent: 'provider 1' })
  await until(async () => (await ended()).accepted!.length === 1)
  t.strictSame((await ended()).accepted, [under_way])
  await until(async () => (await dispatches()).length === 0)
  const late = await send('zoe', 'Too late')
  await until(async () => (await ended()).refused!.includes(late))
})

t.test('a call under way that fails is not repeated', async (t) => {
  const called = Promise.withResolvers<typeof TROUBLE>()
  const { node, send, sent, ended, query, channel_id } = await startChannel(t, () => called.promise)
  const id = await send('ana', 'Hello')
  await until(() => sent.length === 1)
  await query(`delete from channel where _id = '${channel_id}'`)
  await node.ask(`channel/${channel_id}`, { type: 'refresh' })
  called.resolve(TROUBLE)
  await until(async () => (await ended()).refused!.length === 1)
  t.strictSame((await ended()).refused, [id])
  t.equal(sent.length, 1)
})

t.test('the next owner refuses messages of a deleted channel, except those that the provider may have', async (t) => {
  const { send, sent, ended, dispatches, query, restart } = await startChannel(t, () => new Promise(() => {}))
  const ids = [await send('ana', 'First'), await send('ana', 'Second'), await send('ben', 'Hello')]
  await until(() => sent.length === 2)
  await restart(() => query('delete from channel'))
  await until(async () => (await ended()).refused!.length === 1, 30_000)
  t.strictSame((await ended()).refused, [ids[1]])
  t.strictSame((await ended()).unconfirmed!.toSorted(), [ids[0], ids[2]].toSorted())
  await until(async () => (await dispatches()).length === 0)
})
