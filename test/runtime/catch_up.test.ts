/** An actor that falls behind: it lets messages run past, and reads them from the outbox until it follows again. */
import t from 'tap'
import type { OutboxRow } from '../../runtime/actor/outbox_row.ts'
import type { Store } from '../../runtime/commit/store.ts'
import { silentLog } from '../../runtime/log.ts'
import { type Arrived, Inbox } from '../../runtime/messages/inbox.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { upTo } from './support/links.ts'
import { until } from './support/wait.ts'

const SOURCE = 7
const LIMIT = 24
/** An actor's share of the free places. */
const SHARE = LIMIT / 8

/**
 * Makes an inbox over an outbox that holds numbers of one source, all for one actor. The first number has arrived and
 * is applied.
 */
async function begin() {
  const outbox = new Set([1])
  const arrived: Arrived[] = []
  const row = (number: number): OutboxRow => {
    return { source: SOURCE, number, address: 'link/a', sender: null, message: { type: 'pass' }, size: 10 }
  }
  const reads = { pages: [] as number[][], fail: 0, meanwhile: () => {} }
  const store: Partial<Store> = {
    readOutbox: async () => [...outbox].map(row),
    readOutboxOf: async (_address, _partition, below, limit) => {
      if (reads.fail-- > 0) throw new Error('no')
      const page = [...outbox].filter((number) => number < below[0]!.number).slice(0, limit)
      reads.pages.push(page)
      reads.meanwhile()
      return page.map(row)
    },
  }
  const inbox = new Inbox(0, {
    store: store as Store,
    clock: systemClock,
    log: silentLog,
    limit: LIMIT,
    deliver: (one) => void arrived.push(one),
  })
  inbox.heal()
  await until(() => inbox.open)
  const numbers = () => arrived.map(({ number }) => number)
  const passes = (number: number) => inbox.receive({ source: SOURCE, first: number, messages: [row(number)] })
  const sends = (number: number) => {
    outbox.add(number)
    passes(number)
  }
  const applies = () => {
    for (const { number, release } of arrived) {
      outbox.delete(number)
      release()
    }
  }
  applies()
  const catch_up = inbox.fallBehind('link/a')
  /** Reads until the actor follows. */
  const catchUp = () =>
    until(() => {
      applies()
      catch_up.goOn()
      return catch_up.is_over
    })
  return { inbox, catch_up, outbox, reads, numbers, sends, passes, applies, catchUp }
}

t.test('I7 I9 messages that ran past are read by pages, in order, and then the actor follows', async (t) => {
  const { inbox, reads, numbers, sends, catchUp } = await begin()
  for (const number of [2, 3, 4, 5, 6, 7, 8, 9, 10]) sends(number)
  t.same(numbers(), [1], 'they ran past')
  t.equal(inbox.waiting, 0)
  t.notOk(inbox.is_idle, 'the sweep must not take them for left behind')
  await catchUp()
  t.same(numbers(), upTo(10))
  t.ok(reads.pages.every(({ length }) => length <= SHARE))
  sends(11)
  t.same(numbers(), upTo(11), 'it follows')
})

t.test('I8 a message that runs past during the read of the last page is read, too', async (t) => {
  const { reads, numbers, sends, catchUp } = await begin()
  sends(2)
  reads.meanwhile = () => {
    reads.meanwhile = () => {}
    sends(3)
  }
  await catchUp()
  t.same(numbers(), [1, 2, 3])
  t.ok(reads.pages.length > 1)
})

t.test('I7 a message that is committed and still on its way comes once', async (t) => {
  const { outbox, numbers, sends, passes, catchUp } = await begin()
  sends(2)
  outbox.add(3)
  await catchUp()
  t.same(numbers(), [1, 2])
  passes(3)
  t.same(numbers(), [1, 2, 3])
})

t.test('a page whose read failed is read again; a page for a closed inbox is not used', async (t) => {
  const { inbox, catch_up, reads, numbers, sends, applies, catchUp } = await begin()
  for (const number of [2, 3, 4]) sends(number)
  reads.fail = 2
  await catchUp()
  t.same(numbers(), [1, 2, 3, 4])
  applies()
  t.ok(catch_up.is_over)
  const again = inbox.fallBehind('link/a')
  sends(5)
  const count = reads.pages.length
  again.goOn()
  inbox.close()
  await until(() => reads.pages.length > count)
  await new Promise(setImmediate)
  t.same(numbers(), [1, 2, 3, 4])
})
