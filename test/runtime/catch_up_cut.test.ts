/**
 * I7 An actor that catches up is given a page while it cannot go on, and the page does not fit any more: what is dropped
 * of it is not overtaken by what follows in the page.
 */
import t from 'tap'
import type { OutboxRow } from '../../runtime/actor/outbox_row.ts'
import type { PendingTurn } from '../../runtime/actor/pending_turn.ts'
import type { Store } from '../../runtime/commit/store.ts'
import { silentLog } from '../../runtime/log.ts'
import { Inbox } from '../../runtime/messages/inbox.ts'
import { defineActor } from '../../runtime/mod.ts'
import type { Scheduler } from '../../runtime/scheduler/scheduler.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { bareScheduler } from './support/bare_scheduler.ts'
import { until } from './support/wait.ts'

const SOURCE = 7
const ACTOR = 'x/a'
type Protocol = Record<'pass' | 'look', { message: object; reply: void }>

t.test('I7 a page that does not fit any more is cut, and read on in order', async (t) => {
  const pushed: PendingTurn[] = []
  const outbox = new Map<number, OutboxRow>()
  const page = { gate: Promise.resolve(), reads: 0 }
  const store: Partial<Store> = {
    readStates: async () => new Map(),
    readOutbox: async () => [...outbox.values()],
    readOutboxOf: async (address, _partition, below, limit, characters) => {
      page.reads++
      const rows: OutboxRow[] = []
      let total = 0
      for (const row of outbox.values()) {
        if (row.address !== address || row.number >= below[0]!.number) continue
        if (rows.length === limit || total >= characters) break
        rows.push(row)
        total += row.size
      }
      await page.gate
      return rows
    },
  }
  const kind = defineActor<Protocol, object>({
    kind: 'x',
    create: () => ({}),
    receive: { pass: (turn) => turn.save(), look: (turn) => turn.save() },
  })
  const inbox: Inbox = new Inbox(1, {
    store: store as Store,
    clock: systemClock,
    log: silentLog,
    limit: 1000,
    deliver: (arrived) => scheduler.deliver(arrived.address, 1, { ...arrived, origin: 'tell', attempts: 0 }),
  })
  const { scheduler }: { scheduler: Scheduler } = bareScheduler({
    kinds: [kind],
    store: store as Store,
    inbox: () => inbox,
    push: (turn) => void pushed.push(turn),
  })
  t.teardown(() => scheduler.stop())
  let last = 0
  const send = (address: string, size: number) => {
    const row: OutboxRow = { source: SOURCE, number: ++last, address, sender: null, message: { type: 'pass' }, size }
    outbox.set(last, row)
    inbox.receive({ source: SOURCE, first: last, messages: [row] })
  }
  const turn = async () => {
    const index = () => pushed.findIndex(({ address }) => address === ACTOR)
    await until(() => index() >= 0)
    return pushed.splice(index(), 1)[0]!
  }
  const applied: number[] = []
  const commit = (turn: PendingTurn) => {
    const numbers = turn.entries.flatMap(({ number }) => number ?? [])
    for (const number of numbers) outbox.delete(number)
    applied.push(...numbers)
    scheduler.outcomes.committed([turn], [], SOURCE)
  }
  const block = (turn: PendingTurn) => scheduler.outcomes.hindered(turn, 'blocked', new Error('locked'))

  send(ACTOR, 10)
  // Rows are locked, and more waits for the actor than its share: the third message stays in the outbox.
  block(await turn())
  for (const size of [600_000, 600_000, 10, 500_000, 10, 500_000, 10]) send(ACTOR, size)
  commit(await turn())
  t.same(applied, [1, 2])
  const second_page = Promise.withResolvers<void>()
  const reads = page.reads
  const first_page = await turn()
  page.gate = second_page.promise
  commit(first_page)
  t.same(applied, [1, 2, 3, 4, 5])
  await until(() => page.reads > reads)
  // Meanwhile a question is blocked, and messages for another actor take most places.
  const asked = new Promise((resolve, reject) => {
    const deadline = performance.now() + 60_000
    scheduler.deliver(ACTOR, 1, { message: { type: 'look' }, origin: 'ask', deadline, resolve, reject, attempts: 0 })
  })
  block(await turn())
  for (let n = 0; n < 7; n++) send('x/b', 1_000_000)
  second_page.resolve()
  while (applied.length < 8) commit(await turn())
  await asked
  t.same(applied, [1, 2, 3, 4, 5, 6, 7, 8])
})
