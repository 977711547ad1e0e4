import t from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import { plainNats, testDatabase } from '../support/mod.ts'
import { keyIn } from './support/key_in.ts'
import { startNode } from './support/start_node.ts'

/** Longer waits, because a busy machine is slow with megabytes. */
const PATIENT = { deadline_ms: 60_000, repeatable: true }

/** An actor that repeats the text it gets, and keeps its length. */
const echo = defineActor<{ say: { message: { text: string }; reply: { text: string; said: number } } }, number>({
  kind: 'echo',
  create: () => 0,
  receive: {
    say(turn, { text }) {
      turn.state = turn.state + text.length
      turn.save()
      return { text, said: turn.state }
    },
  },
})

t.test('asks and answers larger than the broker takes reach another node and come back, each once', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await plainNats(t)
  const connection = await nats.connect()
  t.equal(connection.info!.max_payload, 1024 * 1024, 'what NATS takes by default')
  await startNode(t, { database, nats }, [echo], { take: [0] })
  const asker = await startNode(t, { database, nats }, [echo], { take: [1] })
  const address = echo.address(keyIn('echo', 'x', 0))
  // Characters of one to four bytes, so that some pieces end within a character.
  const texts = [100, 349_520, 1_000_000, 1_600_000].map((length) => 'aé語💬'.repeat(length / 4))
  let said = 0
  for (const text of texts) {
    said += text.length
    const answer = await asker.ask(address, { type: 'say', text }, PATIENT)
    t.ok(answer.text === text && answer.said === said, `${Buffer.byteLength(text)} bytes`)
  }
  const together = await Promise.all(texts.map((text) => asker.ask(address, { type: 'say', text }, PATIENT)))
  t.ok(
    together.every(({ text }, at) => text === texts[at]),
    'several at once are told apart',
  )
})
