/** A turn and a commit are bounded by what they write: a message may cause any number of changes. */
import t from 'tap'
import { PendingTurn } from '../../runtime/actor/pending_turn.ts'
import { Lane } from '../../runtime/commit/lane.ts'
import type { Commit, Store } from '../../runtime/commit/store.ts'
import { defineActor, silentLog } from '../../runtime/mod.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { bareScheduler } from './support/bare_scheduler.ts'

const MAX_CHANGES = 4096
const MAX_WRITES = 8192

t.test('a turn ends when it has changed enough, and the next one goes on behind it', async (t) => {
  const messages = 600
  const each = 100
  let read = 0
  const spreader = defineActor<{ spread: { message: { n: number }; reply: void } }, number[], null>({
    kind: 'spreader',
    load: async () => new Map(),
    create: () => [],
    read: async (batch) => {
      read += batch.length
      return null
    },
    receive: {
      spread(turn, { n }) {
        turn.state.push(n)
        for (let i = 0; i < each; i++) turn.tell('listener/a', { type: 'heard' })
      },
    },
  })
  const { turn, commit, tell } = bareScheduler({ kinds: [spreader], store: {} as Store })
  const numbers = Array.from({ length: messages }, (_, n) => n)
  for (const n of numbers) tell('spreader/a', { type: 'spread', n } as { type: string })
  const handled: number[] = []
  while (handled.length < messages) {
    const next = await turn()
    t.ok(next.changes < MAX_CHANGES + each, `a turn of ${next.changes} changes`)
    t.equal(next.changes, each * next.entries.length)
    t.equal(next.batch.length, next.entries.length, 'it has no other messages to give back')
    handled.push(...next.entries.map(({ message }) => (message as unknown as { n: number }).n))
    commit(next)
  }
  t.same(handled, numbers, 'each message once, in order')
  t.ok(read < 3 * messages, `messages that a turn did not reach are read in vain, but not again and again: ${read}`)
})

t.test('a commit takes turns as long as they write little', async (t) => {
  const commits: number[] = []
  const gate = Promise.withResolvers<void>()
  const store = {
    newSource: async () => 1,
    transaction(commit: Commit) {
      commits.push([...commit.writes].length)
      return { characters: 0, run: () => gate.promise }
    },
  } as unknown as Store
  const never = () => t.fail('it is committed')
  const lane = new Lane(
    store,
    'one',
    {
      epoch: () => 1,
      isDeciding: () => false,
      committed: () => {},
      faulted: never,
      repeated: never,
      fenced: never,
      retracted: never,
      doubtful: never,
      hindered: never,
      rewound: never,
    },
    systemClock,
    silentLog,
  )
  const turns = 20
  const each = 1000
  for (let turn = 0; turn < turns; turn++) {
    const pending_turn = new PendingTurn(null, new Date(), undefined, 4)
    for (let n = 0; n < each; n++) pending_turn.insert({} as never, { n })
    lane.push(pending_turn)
  }
  gate.resolve()
  await lane.flush()
  t.equal(
    commits.reduce((sum, writes) => sum + writes, 0),
    turns * each,
  )
  t.ok(Math.max(...commits) < MAX_WRITES + each, `the largest commit has ${Math.max(...commits)} writes`)
})
