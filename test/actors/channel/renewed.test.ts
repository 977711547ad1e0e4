/** An operator renews the credentials of a channel while its provider is being called with the former ones. */
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startChannel } from './channel_node.ts'

const REVOKED = {
  failure: { kind: 'disconnect', code: '190', message: 'The token was revoked.', maybe_accepted: false },
} as const

t.test(
  'a refusal of the former credentials says nothing about the new ones, with which the message is sent',
  async (t) => {
    const called = Promise.withResolvers<typeof REVOKED>()
    const { ask, send, sent, ended, channel, renew, credentials } = await startChannel(t, (_, count) =>
      count === 1 ? called.promise : { sent: `provider ${count}` },
    )
    const id = await send('ana', 'Hello')
    await until(() => sent.length === 1)
    await renew({ access_token: 'new' })
    await ask({ type: 'refresh' })
    called.resolve(REVOKED)
    await until(async () => (await ended()).accepted!.length + (await ended()).refused!.length === 1, 30_000)
    t.match(await ended(), { accepted: [id], refused: [], statuses: [] })
    t.same(credentials, [{}, { access_token: 'new' }])
    t.equal((await channel())!.status, 'connected')
  },
)

t.test('a refusal of the present credentials disconnects the channel', async (t) => {
  const { ask, send, ended, channel, renew } = await startChannel(t, () => REVOKED)
  await renew({ access_token: 'wrong' })
  await ask({ type: 'refresh' })
  const id = await send('ana', 'Hello')
  await until(async () => (await ended()).statuses!.length === 1, 30_000)
  t.match(await ended(), { refused: [id], statuses: ['disconnected'] })
  t.equal((await channel())!.status, 'disconnected')
})

t.test('a probe with the former credentials says nothing about the new ones', async (t) => {
  const asked: ((answer: object) => void)[] = []
  const probe = () => new Promise<object>((resolve) => asked.push(resolve))
  const { ask, send, ended, channel, renew } = await startChannel(t, () => ({ sent: 'provider 1' }), {
    probe_ms: 300,
    probe,
  })
  await send('ana', 'So that the channel is in memory')
  await until(() => asked.length === 1)
  await renew({ access_token: 'new' })
  await ask({ type: 'refresh' })
  asked[0]!(REVOKED)
  // A later probe is asked after the answer to the first one was applied.
  await until(() => asked.length >= 2)
  await ask({ type: 'health' })
  t.equal((await channel())!.status, 'connected')
  asked[1]!(REVOKED)
  await until(async () => (await channel())!.status === 'disconnected', 30_000)
  t.same((await ended()).statuses, ['disconnected'])
})
