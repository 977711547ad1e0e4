import t from 'tap'
import { startTestServer } from './test_server.ts'

t.test('an unknown parameter is answered with those of the operation', async (t) => {
  const { call } = await startTestServer(t)
  const sentence = async (path: string) => (await call(path, { method: 'GET' })).body.error.message
  t.equal(
    await sentence('/v1/webhooks/wh_66f2a0c1d4e5f60718293a4b/deliveries?before=1'),
    'before is not known here; the parameters are status, event_type, since, until, limit, cursor',
  )
  t.equal(await sentence('/v1/me?x=1'), 'x is not known here; there are no parameters')
  t.match(await sentence('/v1/contacts?user_id=1'), /^user_id is not known here; the parameters are .*\bphone\b/)
})
