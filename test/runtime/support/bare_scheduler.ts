import type { PendingTurn } from '../../../runtime/actor/pending_turn.ts'
import { silentLog } from '../../../runtime/log.ts'
import type { SchedulerOptions } from '../../../runtime/scheduler/options.ts'
import { Scheduler } from '../../../runtime/scheduler/scheduler.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import { until } from './wait.ts'

/** A scheduler whose surroundings are those given, and otherwise empty. The test is its lane: it takes the turns. */
export function bareScheduler(given: Partial<SchedulerOptions> & Pick<SchedulerOptions, 'kinds' | 'store'>) {
  const pushed: PendingTurn[] = []
  const scheduler = new Scheduler({
    database: {} as SchedulerOptions['database'],
    clock: systemClock,
    log: silentLog,
    partitions: 4,
    idle_ms: 60_000,
    isShort: () => false,
    epoch: () => 1,
    inbox: () => undefined,
    push: (turn) => void pushed.push(turn),
    timers: { clear() {}, changed() {} } as unknown as SchedulerOptions['timers'],
    send() {},
    publish() {},
    gatherNotices() {},
    surroundings: { isQuiet: () => false } as SchedulerOptions['surroundings'],
    tell: async () => {},
    leased: () => true,
    rewound() {},
    knownSource: () => undefined,
    moved() {},
    ...given,
  })
  /** The next turn that was given to the lane. */
  const turn = async () => {
    await until(() => pushed.length > 0)
    return pushed.shift()!
  }
  const commit = (turn: PendingTurn) => scheduler.outcomes.committed([turn], [], 1)
  let number = 0
  /** Delivers a tell to an actor of partition 1. */
  const tell = (address: string, message: { type: string }) =>
    scheduler.deliver(address, 1, { message, origin: 'tell', source: 1, number: ++number, attempts: 0 })
  return { scheduler, turn, commit, tell }
}
