/** Facts that come late: a failed load, a wake, a firing or an announcement, after what they are about has gone. */
import t, { type Test } from 'tap'
import type { Store } from '../../runtime/commit/store.ts'
import { FullReceivers } from '../../runtime/messages/full_receivers.ts'
import { type ActorKind, defineActor } from '../../runtime/mod.ts'
import type { SchedulerOptions } from '../../runtime/scheduler/options.ts'
import type { Scheduler } from '../../runtime/scheduler/scheduler.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { bareScheduler } from './support/bare_scheduler.ts'
import { until } from './support/wait.ts'

const DUE = 1000
type Names = 'wake' | 'poke' | 'fill' | 'ring' | 'set' | 'newer'
type Protocol = Record<Names, { message: object; reply: void }> & { get: { message: object; reply: number } }

function makeScheduler(t: Test, options: Partial<ActorKind<Protocol, object>> = {}) {
  const owned: { epoch: number | undefined } = { epoch: 1 }
  const bus = { publish() {}, listen: async () => () => {} }
  const full = new FullReceivers(bus, systemClock, 4)
  const kind = defineActor<Protocol, object>({
    kind: 'x',
    create: () => ({}),
    receive: {
      wake() {},
      poke: (turn) => turn.save(),
      fill(turn) {
        turn.save()
        turn.full(true)
      },
      ring: (turn) => turn.save(),
      set: (turn) => turn.timer('bell', new Date(DUE), { type: 'ring' }),
      get newer() {
        return undefined as never
      },
      get: () => 1,
    },
    peek: { get: () => 1 },
    ...options,
  })
  const bare = bareScheduler({
    kinds: [kind],
    store: { readStates: async () => new Map() } as unknown as Store,
    epoch: () => owned.epoch,
    // A timer that is set for a time that has passed fires at once.
    timers: { clear() {}, changed: () => ring() } as unknown as SchedulerOptions['timers'],
    surroundings: {
      setFull: (address: string, partition: number, is_full: boolean) => full.set(address, partition, is_full),
    } as SchedulerOptions['surroundings'],
  })
  t.teardown(() => bare.scheduler.stop())
  const deliver = (entry: Omit<Parameters<Scheduler['deliver']>[2], 'attempts'>) =>
    bare.scheduler.deliver('x/a', 1, { ...entry, attempts: 0 })
  const ring = () => deliver({ message: { type: 'ring' }, origin: 'timer', timer: { name: 'bell', due: DUE } })
  const tell = (type: Names) => bare.tell('x/a', { type })
  return { ...bare, kind, owned, full, deliver, ring, tell }
}

t.test('a load that fails when the messages were left to the next owner ends there', async (t) => {
  const rejected: unknown[] = []
  const reject = (error: unknown) => void rejected.push(error)
  process.on('unhandledRejection', reject)
  t.teardown(() => process.off('unhandledRejection', reject))
  const loading = Promise.withResolvers<Map<string, object>>()
  let loads = 0
  const load = () => {
    loads++
    return loading.promise
  }
  const { scheduler, tell } = makeScheduler(t, { load })
  let is_left = false
  tell('poke')
  scheduler.deliver('x/a', 1, {
    message: { type: 'poke' },
    origin: 'tell',
    source: 1,
    number: 2,
    attempts: 0,
    release: () => {
      is_left = true
    },
  })
  await until(() => loads > 0)
  const quiet = scheduler.quiet(new Set([1]), 1)
  await until(() => is_left)
  loading.reject(new Error('two states'))
  await quiet
  t.same(rejected, [])
})

t.test('I14 an actor that was woken after the loss of its partition answers nothing from memory', async (t) => {
  const { scheduler, owned, deliver } = makeScheduler(t)
  owned.epoch = undefined
  deliver({ message: { type: 'wake' }, origin: 'self' })
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(scheduler.peek('x/a', { type: 'get' }), undefined)
})

t.test('a former owner does not announce for ever that an actor has too long a backlog', async (t) => {
  const { scheduler, owned, full, tell, turn, commit } = makeScheduler(t)
  tell('fill')
  const filled = await turn()
  // The partition is lost before the answer of the commit comes.
  owned.epoch = undefined
  full.forget(1)
  scheduler.lost(1)
  commit(filled)
  t.notOk(full.isFull('x/a'))
})

t.test('I12 a timer that is set anew for the same time, while its firing is set aside, fires once', async (t) => {
  const { kind, deliver, ring, tell, turn, commit } = makeScheduler(t)
  tell('newer')
  ring()
  await new Promise((resolve) => setTimeout(resolve, 20))
  const asked = new Promise((resolve, reject) =>
    deliver({ message: { type: 'set' }, origin: 'ask', deadline: performance.now() + 60_000, resolve, reject }),
  )
  commit(await turn())
  await asked
  Object.defineProperty(kind.receive, 'newer', { value: kind.receive.poke })
  const later = await turn()
  t.equal(later.entries.filter(({ timer }) => timer).length, 1)
})
