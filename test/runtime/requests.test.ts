import { setTimeout } from 'node:timers/promises'
import { headers as newHeaders } from '@nats-io/transport-node'
import t from 'tap'
import { Requests } from '../../runtime/broker/requests.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { testNats } from '../support/mod.ts'

t.test('a reply in pieces has its time for each of them, until the deadline', async (t) => {
  const nats = await testNats(t)
  const requests = new Requests((await nats.connect()) as never, systemClock)
  t.teardown(() => requests.stop())
  const answerer = await nats.connect()
  const subject = `${nats.prefix}.slow`
  const count = 6
  let answered = Promise.resolve()
  async function answer(reply: string): Promise<void> {
    for (let number = 0; number < count; number++) {
      const headers = newHeaders()
      headers.set('Parley-Piece', `id ${number} ${count}`)
      answerer.publish(reply, 'x', { headers })
      await setTimeout(400)
    }
  }
  answerer.subscribe(subject, {
    callback(_, { reply }) {
      answered = answer(reply!)
    },
  })
  await answerer.flush()
  const now = systemClock.monotonic()
  t.strictSame(await requests.send(subject, '?', { ms: 1500, deadline: now + 60_000 }), { text: 'xxxxxx' })
  const later = systemClock.monotonic()
  t.equal(await requests.send(subject, '?', { ms: 1500, deadline: later + 800 }), 'late', 'the deadline is past')
  await answered
})
