import t from 'tap'
import { Envelopes } from '../../../actors/webhook/envelopes.ts'

t.test('an envelope stays until every listener has taken it', async (t) => {
  const envelopes = new Envelopes()
  envelopes.keep('evt_1', 'one', 2)
  t.equal(envelopes.take('evt_2'), undefined)
  t.equal(envelopes.take('evt_1'), 'one')
  t.equal(envelopes.take('evt_1'), 'one')
  t.equal(envelopes.take('evt_1'), undefined)
})

t.test('the oldest envelopes go when there is too much, and one that is too large goes at once', async (t) => {
  const envelopes = new Envelopes(10)
  envelopes.keep('evt_1', '12345', 1)
  envelopes.keep('evt_2', '12345', 1)
  envelopes.keep('evt_3', '12345', 1)
  t.equal(envelopes.take('evt_1'), undefined)
  t.equal(envelopes.take('evt_2'), '12345')
  envelopes.keep('evt_4', '12345678901', 1)
  t.equal(envelopes.take('evt_4'), undefined)
  envelopes.keep('evt_5', '1234567890', 1)
  t.equal(envelopes.take('evt_5'), '1234567890', 'what went makes room')
})
