/** A busy channel leaves the events of the others in the stream, and is itself found to have had too many. */
import { jetstream } from '@nats-io/jetstream'
import t from 'tap'
import { streamName } from '../../runtime/broker/streams.ts'
import { LiveStream } from '../../runtime/live/stream.ts'
import { testNats } from '../support/mod.ts'

t.test('a channel keeps as many events as a watcher reads', async (t) => {
  const { prefix, replicas, connect } = await testNats(t)
  const nats = await connect()
  const stream = new LiveStream(nats, prefix, replicas)
  await stream.ensure()
  await stream.publish('quiet', 'first')
  const [first] = await stream.read('quiet', 0)
  for (let sent = 0; sent < 2500; sent += 500)
    await Promise.all(Array.from({ length: 500 }, (_, at) => stream.publish('busy', `${sent + at}`)))
  const last = await stream.lastOf('busy')
  await t.rejects(stream.read('busy', first!.seq), { message: 'too many events to read' })
  await t.rejects(stream.read('busy', last - 1001), { message: 'too many events to read' })
  t.equal((await stream.read('busy', last - 1000)).length, 1000)
  const all = await jetstream(nats).consumers.getPushConsumer(streamName(prefix, 'live'), {
    filter_subjects: `${prefix}.live.busy`,
  })
  const { num_pending } = await all.info(true)
  t.equal(num_pending, 1001)
  t.match(await stream.read('quiet', 0), [{ text: 'first' }])
})
