/**
 * A broker of three servers, one of which loses its memory. The stream of live events keeps the time of its creation.
 */
import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { LiveStream } from '../../runtime/live/stream.ts'
import { defineActor } from '../../runtime/mod.ts'
import { privateNatsCluster, testDatabase } from '../support/mod.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const speaker = defineActor<{ say: { message: { n: number }; reply: void } }, object>({
  kind: 'speaker',
  create: () => ({}),
  receive: {
    say(turn, { n }) {
      turn.live('c', () => ({ type: 'said', data: { n } }))
    },
  },
})

t.test('L3 watchers are told to read again, and then get events as before', async (t) => {
  const { database } = await testDatabase(t)
  const { members, prefix, connect } = await privateNatsCluster(t, 3)
  const line = await connect()
  const { streams } = await jetstreamManager(line)
  const stream = new LiveStream(line, prefix, 1)
  await stream.ensure()
  const { cluster } = await until(() => streams.info(`${prefix}-live`).catch(() => undefined))
  const holder = members.find(({ name }) => name === cluster!.leader)!
  const other = members.find((member) => member !== holder)!
  const node = await startNode(t, { database, nats: { url: other.url, prefix } }, [speaker])
  const say = (n: number) => node.ask(speaker.address('s'), { type: 'say', n })
  const received: number[] = []
  let missed = 0
  const feed = await node.live.open('c', {
    received: ({ events }) => void received.push(...events.map(({ data }) => (data as { n: number }).n)),
    missed: () => void missed++,
  })
  t.teardown(() => feed.close())
  for (let n = 1; n <= 10; n++) await say(n)
  await until(() => received.length === 10)
  const missed_before = missed
  await holder.server.kill()
  await holder.server.start()
  await until(async () => (await stream.ensure().catch(() => undefined))?.last === 0)
  await say(11)
  await until(() => missed > missed_before)
  await until(async () => {
    await say(12)
    return received.includes(12)
  })
  const { state } = await streams.info(`${prefix}-live`, { subjects_filter: '>' })
  t.strictSame(Object.keys(state.subjects!), [`${prefix}.live.c`], 'the stream has events of channels alone')
})
