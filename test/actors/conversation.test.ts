/** The actor of a conversation on a real engine, with outcomes of calls that come when the test lets them. */
import t, { type Test } from 'tap'
import type { AssistantAtWork, Seen, Thought } from '../../actors/conversation/assistant_at_work.ts'
import type { AssistantConcluded, ConversationChange } from '../../actors/conversation/protocol.ts'
import { conversationActor, conversationWaits } from '../../actors/mod.ts'
import { defineActor } from '../../runtime/mod.ts'
import { startNode } from '../runtime/support/start_node.ts'
import { until } from '../runtime/support/wait.ts'
import { testDatabase, testNats } from '../support/mod.ts'

const ID = 'a'.repeat(24)
const CONVERSATION = `conversation/${ID}` as const
const PROJECT = 'project/test'

const change = (segment: number, version: number, is_question: boolean): ConversationChange => ({
  ...{ company_id: ID, chat_user: ID, project_id: 'test', assistant_id: ID, segment, version, is_question },
  ...{ place: { channel_id: 'ch', channel_type: 'whatsapp', address: '+15550000001' }, at: Date.now() },
})

const seenAt = (segment: number, version: number): Seen => ({
  ...{ segment, version, model: 'simulated', blocks: [], language: null, is_outside_hours: false },
})

const said = (seen: Seen): Thought => ({
  kind: 'said',
  text: 'It is here.',
  verdict: { kind: 'ok', text: 'It is here.', parts: ['It is here.'], sources: [], has_removed_links: false },
  seen,
  step: { kind: 'model', name: 'simulated', started_at: new Date().toISOString(), ms: 1 },
})

type Told = { type: 'tell'; message: object }

/** `decides`: what the project does with the conclusion of this number, from 1. */
async function startConversation(t: Test, { decides = () => true }: { decides?: (n: number) => boolean } = {}) {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const asked: PromiseWithResolvers<Thought>[] = []
  const assistants: AssistantAtWork = {
    think() {
      const one = Promise.withResolvers<Thought>()
      asked.push(one)
      return one.promise
    },
    runTools: () => Promise.reject(new Error('no tool is called')),
    handOverWords: () => 'A person continues.',
  }
  const concluded: AssistantConcluded[] = []
  // It stands for the project: it passes changes on, and decides.
  const project = defineActor<
    {
      pass: { message: Told; reply: void }
      assistant_concluded: { message: AssistantConcluded; reply: void }
    },
    object
  >({
    kind: 'project',
    create: () => ({}),
    receive: {
      pass: (turn, { message }) => turn.tell(CONVERSATION, message as never),
      assistant_concluded(turn, said) {
        concluded.push(said)
        if (!decides(concluded.length)) return
        const { turn_id, conclusion } = said
        turn.tell(CONVERSATION, { type: 'decided', turn_id, outcome: 'stored', is_held: conclusion.kind === 'answer' })
      },
    },
  })
  const waits = { ...conversationWaits, quiet_ms: 50, decide_ms: 500 }
  const node = await startNode(t, { database, nats }, [conversationActor({ assistants, waits }), project])
  const tell = (message: ConversationChange) =>
    node.ask(PROJECT, { type: 'pass', message: { type: 'changed', ...message } } as never)
  const phase = async () => {
    const [row] = await database.execute<{ phase: string }>(
      `select state->>'phase' as phase from actor_state where address = '${CONVERSATION}'`,
    )
    return row?.phase
  }
  const known = async () => {
    const [row] = await database.execute<{ version: number }>(
      `select (state->'known'->>'version')::int as version from actor_state where address = '${CONVERSATION}'`,
    )
    return row?.version
  }
  return {
    asked,
    concluded,
    tell,
    thinks: (count: number) => until(async () => asked.length === count),
    heard: (version: number) => until(async () => (await known()) === version),
    is: (name: string) => until(async () => (await phase()) === name),
  }
}

t.test('it was taken over when the model was to be asked, and given back before that was known', async (t) => {
  const { asked, concluded, tell, thinks, heard, is } = await startConversation(t)
  await tell(change(1, 1, true))
  await thinks(1)
  await tell(change(2, 2, true))
  await heard(2)
  asked[0]!.resolve({ kind: 'not_held' })
  await thinks(2)
  asked[1]!.resolve(said(seenAt(2, 2)))
  await is('idle')
  t.equal(concluded.length, 1, 'the person is answered')
})

t.test('a message that the model read before the conversation heard of it is answered once', async (t) => {
  const { asked, concluded, tell, thinks, heard, is } = await startConversation(t)
  await tell(change(1, 1, true))
  await thinks(1)
  await tell(change(1, 2, true))
  await heard(2)
  asked[0]!.resolve(said(seenAt(1, 2)))
  await is('idle')
  t.equal(concluded.length, 1)
  t.equal(asked.length, 1)
})

t.test('the model read of a segment that the conversation has not heard of yet', async (t) => {
  const { asked, concluded, tell, thinks, is } = await startConversation(t)
  await tell(change(1, 1, true))
  await thinks(1)
  asked[0]!.resolve(said(seenAt(2, 2)))
  await is('idle')
  t.match(concluded, [{ segment: 2, version: 2, conclusion: { kind: 'answer' } }], 'the project decides')
  t.equal(asked.length, 1, 'the model is not asked again and again')
})

t.test('a project that could not store the answer is told to leave the conversation to people', async (t) => {
  const { asked, concluded, tell, thinks, is } = await startConversation(t, { decides: (n) => n > 1 })
  await tell(change(1, 1, true))
  await thinks(1)
  asked[0]!.resolve(said(seenAt(1, 1)))
  await is('deciding')
  await is('with_a_person')
  t.match(concluded, [
    { conclusion: { kind: 'answer' } },
    { is_again: true, conclusion: { kind: 'hand_over', reason: 'not_stored', has_failed: true } },
  ])
})
