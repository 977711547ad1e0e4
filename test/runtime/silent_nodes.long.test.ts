import t from 'tap'
import { SilentNodes } from '../../runtime/cluster/silent_nodes.ts'

/**
 * Lets one node look every 400 ms, beginning at `from`. The stamps are those of a cluster in which each look draws ten.
 */
function looks(silent: SilentNodes, from: number, until: number, step = 400): number {
  let stamp = 0
  for (let sent = from; sent <= until; sent += step) {
    stamp = 1000 + sent
    silent.look({ stamp, before: undefined, membership: 1, oldest: [], now: 0 }, sent, sent + 10)
  }
  return stamp
}

t.test('I14 a row is dead when it is older than a look answered 2.25 s ago', async (t) => {
  const silent = new SilentNodes()
  looks(silent, 0, 2000)
  const rows = [{ id: 'a', stamp: 999 }]
  t.same(silent.dead(rows), [], 'not before')
  looks(silent, 2400, 2400)
  t.same(silent.dead(rows), rows)
  t.same(silent.dead([{ id: 'b', stamp: 1001 }]), [], 'renewed after that look')
  t.same(silent.dead(rows, 1000), [], 'not yet for those who come late')
  looks(silent, 2800, 3600)
  t.same(silent.dead(rows, 1000), rows)
})

t.test('many nodes that die together are dead together, whichever were looked at', async (t) => {
  const silent = new SilentNodes()
  looks(silent, 0, 2400)
  const rows = Array.from({ length: 100 }, (_, n) => ({ id: `n${n}`, stamp: 900 + n }))
  t.equal(silent.dead(rows).length, 100)
})

t.test('a gap in the looks, or a stamp that goes back, begins the series anew', async (t) => {
  const silent = new SilentNodes()
  looks(silent, 0, 2000)
  looks(silent, 3200, 5200)
  t.same(silent.dead([{ id: 'a', stamp: 999 }]), [], 'PostgreSQL was silent for this node, perhaps for all')
  looks(silent, 5600, 5600)
  t.equal(silent.dead([{ id: 'a', stamp: 999 }]).length, 1)
  silent.look({ stamp: 500, before: undefined, membership: 1, oldest: [], now: 0 }, 6000, 6010)
  t.same(silent.dead([{ id: 'a', stamp: 499 }]), [], 'the database has lost commits')
})

t.test('the end of the own lease begins the series anew, whatever the stamps are', async (t) => {
  const silent = new SilentNodes()
  looks(silent, 0, 2400)
  silent.forget()
  t.same(silent.dead([{ id: 'a', stamp: 999 }]), [], 'a row that was read before the first look')
  looks(silent, 2800, 4800)
  t.same(silent.dead([{ id: 'a', stamp: 999 }]), [])
  looks(silent, 5200, 5200)
  t.equal(silent.dead([{ id: 'a', stamp: 999 }]).length, 1)
})
