/**
 * I11 A partition is lost and taken again while a turn commits. Its activation is forgotten, and neither the result of a
 * call nor a caller stays in it, whatever the lane reports of the turn.
 */
import t from 'tap'
import type { PendingTurn } from '../../runtime/actor/pending_turn.ts'
import type { Store } from '../../runtime/commit/store.ts'
import { defineActor } from '../../runtime/mod.ts'
import type { Scheduler } from '../../runtime/scheduler/scheduler.ts'
import { bareScheduler } from './support/bare_scheduler.ts'
import { until } from './support/wait.ts'

type Protocol = Record<'call' | 'result' | 'poke', { message: object; reply: void }>
type Outcomes = Scheduler['outcomes']

const reports: Record<string, (outcomes: Outcomes, turn: PendingTurn) => void> = {
  'held its messages': (outcomes, turn) => outcomes.hindered(turn, 'held', new Error('held')),
  'was blocked': (outcomes, turn) => outcomes.hindered(turn, 'blocked', new Error('blocked')),
  'was at fault': (outcomes, turn) => outcomes.faulted(turn, new Error('at fault')),
  'is in doubt': (outcomes, turn) => outcomes.doubtful(turn),
  'was fenced': (outcomes, turn) => outcomes.fenced(turn),
  'had repeated messages': (outcomes, turn) => outcomes.repeated(turn, new Error('repeated')),
}

/** A scheduler whose lane and database are this test. */
function makeScheduler() {
  const told: string[] = []
  const provider = Promise.withResolvers<void>()
  const kind = defineActor<Protocol, object>({
    kind: 'x',
    create: () => ({}),
    receive: {
      call(turn) {
        turn.save()
        turn.work(
          async () => {
            await provider.promise
            return { type: 'result' }
          },
          { unbroken: true },
        )
      },
      result: (turn) => turn.save(),
      poke: (turn) => turn.save(),
    },
  })
  const store = {
    readStates: async () => new Map(),
    unsettled: async (all: unknown[]) => all.map(() => false),
    unfired: async () => [],
  } as unknown as Store
  const owned = { epoch: 1 }
  const bare = bareScheduler({
    kinds: [kind],
    store,
    epoch: () => owned.epoch,
    tell: async (_, { type }) => void told.push(type),
  })
  return { ...bare, owned, provider, told }
}

for (const [name, report] of Object.entries(reports))
  t.test(`I11 nothing stays in a forgotten activation when the turn ${name}`, async (t) => {
    const { scheduler, owned, provider, turn, commit, tell, told } = makeScheduler()
    t.teardown(() => scheduler.stop())
    const poke = () => tell('x/a', { type: 'poke' })
    tell('x/a', { type: 'call' })
    commit(await turn())
    poke()
    const before = await turn()
    // The result, a durable message and a question wait for the commit of the turn before, and make one turn.
    provider.resolve()
    await new Promise((resolve) => setTimeout(resolve, 20))
    poke()
    const asked = new Promise<void>((resolve, reject) => {
      const deadline = performance.now() + 60_000
      scheduler.deliver('x/a', 1, {
        message: { type: 'poke' },
        origin: 'ask',
        deadline,
        resolve: () => resolve(),
        reject,
        attempts: 0,
      })
    })
    const refused = t.rejects(asked, 'the caller asks elsewhere')
    commit(before)
    const pending_turn = await turn()
    t.equal(pending_turn.batch.length, 3)
    scheduler.lost(1)
    owned.epoch = 2
    poke()
    report(scheduler.outcomes, pending_turn)
    await refused
    await until(() => told.length > 0)
    t.same(told, ['result'])
  })
