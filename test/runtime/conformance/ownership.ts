/** Leases and partitions: the living nodes and the owners of partitions. */
import type { Test } from 'tap'
import { begin, FACTS, free, type Open, refused, waits } from './store_server.ts'

export function ownership(t: Test, open: Open): void {
  t.test('a cluster keeps the number of partitions that it was laid out with', async (t) => {
    const server = await open(t)
    const store = await server.store()
    t.equal(await server.done(store.layOut(4)), 4)
    t.equal(await server.done(store.layOut(9)), 4)
    t.same(
      await server.done(store.partitions()),
      [0, 1, 2, 3].map((id) => ({ id, owner: null, epoch: 0 })),
    )
  })

  t.test('leases: stamps rise, facts move the membership, the oldest are named', async (t) => {
    const { server, store, done } = await begin(t, open)
    const joined = await done(store.join('two', FACTS))
    t.equal(joined.before, undefined)
    t.same(
      joined.oldest.map(({ id }) => id),
      ['one', 'two'],
    )
    const renewed = await done(store.renew('one', FACTS, 0, 0, 5000))
    t.ok(renewed.stamp! > joined.stamp!, 'no stamp comes twice')
    t.ok(renewed.before! < joined.stamp!, 'what was stored before')
    t.equal(renewed.membership, joined.membership)
    t.same(renewed.oldest, [
      { id: 'two', stamp: joined.stamp },
      { id: 'one', stamp: renewed.stamp },
    ])
    const busy = await done(store.renew('one', { ...FACTS, backlog: 9 }, renewed.stamp!, renewed.stamp!, 5000))
    t.equal(busy.membership, joined.membership, 'what waits is no change of membership')
    t.same(
      busy.oldest.map(({ id }) => id),
      ['one'],
      'nobody below the floor',
    )
    const leaving = await done(store.renew('one', { ...FACTS, leaving: true }, 0, 0, 5000))
    t.not(leaving.membership, joined.membership)
    t.same(
      (await done(store.members(0))).map(({ id, stamp, facts }) => [id, stamp, facts.leaving]),
      [
        ['one', leaving.stamp, true],
        ['two', joined.stamp, false],
      ],
    )
    t.equal((await done(store.members(leaving.stamp!))).length, 1, 'nobody below the floor')
    t.type(leaving.now, 'number')
    t.equal((await done((await server.store()).members(0))).length, 2)
  })

  t.test('only its own stamp ends a lease, and afterwards the lease cannot be renewed', async (t) => {
    const { store, done } = await begin(t, open)
    const first = await done(store.join('two', FACTS))
    const second = await done(store.renew('two', FACTS, 0, 0, 5000))
    t.notOk(await done(store.endLease('two', first.stamp!)), 'it was renewed since')
    t.ok(await done(store.endLease('two', second.stamp!)))
    t.notOk(await done(store.endLease('two', second.stamp!)), 'twice')
    const third = await done(store.renew('two', FACTS, 0, 0, 5000))
    t.equal(third.stamp, undefined)
    t.equal(third.before, undefined)
    t.not(third.membership, first.membership)
    const again = await done(store.join('two', FACTS))
    t.ok(again.stamp! > second.stamp!)
    await done(store.leave('two'))
    await done(store.join('three', FACTS))
    await done(store.endOthers('one'))
    t.same(
      (await done(store.members(0))).map(({ id }) => id),
      ['one'],
    )
  })

  t.test('a lease older than its node knows stays unchanged', async (t) => {
    const { store, done } = await begin(t, open)
    const { stamp } = await done(store.renew('one', FACTS, 0, 0, 5000))
    for (const _ of ['told', 'told again']) {
      const lost = await done(store.renew('one', FACTS, stamp! + 1, 0, 5000))
      t.same([lost.stamp, lost.before], [undefined, stamp])
    }
    t.type((await done(store.renew('one', FACTS, stamp!, 0, 5000))).stamp, 'number')
  })

  t.test('a renewal and the end of a lease wait for each other', async (t) => {
    const { server, store, done } = await begin(t, open)
    const { stamp } = await done(store.join('two', FACTS))
    const release = await server.hold({ node: 'two' }, 'update')
    const ending = store.endLease('two', stamp!)
    const renewing = (await server.store()).renew('two', FACTS, 0, 0, 5000)
    t.ok(await waits(server, ending))
    t.ok(await waits(server, renewing))
    await done(release())
    const [ended, renewed] = await done(Promise.all([ending, renewing]))
    t.equal(ended, renewed.stamp === undefined, 'one of both had it')
  })

  t.test('a renewal that is not answered in time fails', async (t) => {
    const { server, store, done } = await begin(t, open)
    const release = await server.hold({ node: 'one' }, 'update')
    await t.rejects(done(store.renew('one', FACTS, 0, 0, 300)), { message: /did not answer within 300 ms/ })
    await done(release())
    t.type((await done(store.renew('one', FACTS, 0, 0, 5000))).stamp, 'number')
  })

  t.test(
    'take gets a free partition, or one whose owner has no lease, and only at the epoch that was seen',
    async (t) => {
      const { store, done, epochs } = await begin(t, open)
      t.same([...epochs.keys()].sort(), [0, 1])
      for (const epoch of epochs.values()) t.ok(epoch > 0)
      await done(store.join('two', FACTS))
      const held = await done(store.take('two', [{ id: 0, epoch: epochs.get(0)! }, free(2)]))
      t.same([...held.keys()], [2], 'what another holds is not taken')
      t.same((await done(store.take('two', [{ id: 3, epoch: 7 }]))).size, 0, 'it is not as it was seen')
      t.same((await done(store.take('two', []))).size, 0)
      const again = await done(store.take('one', [{ id: 0, epoch: epochs.get(0)! }]))
      t.ok(again.get(0)! > epochs.get(0)!, 'its own may be taken anew')
      await done(store.leave('one'))
      const taken = await done(store.take('two', [{ id: 1, epoch: epochs.get(1)! }]))
      t.ok(taken.get(1)! > epochs.get(1)!)
      const seized = await done(store.seize('three', [1]))
      t.ok(seized.get(1)!.epoch > taken.get(1)!)
      t.equal(seized.get(1)!.former, taken.get(1), 'the epoch before is told')
      const was_held = [
        { id: 1, epoch: taken.get(1)! },
        { id: 2, epoch: held.get(2)! },
      ]
      await done(store.release('two', was_held))
      t.same(
        (await done(store.partitions())).map(({ owner }) => owner),
        ['one', 'three', null, null],
      )
    },
  )

  t.test('a late release does not free a partition that its node has taken again', async (t) => {
    const { server, store, done, epochs } = await begin(t, open)
    const held = [...epochs].map(([id, epoch]) => ({ id, epoch }))
    const release = await server.hold({ partition: 0 }, 'share')
    const releasing = store.release('one', held)
    t.ok(await waits(server, releasing))
    const again = await done((await server.store()).take('one', [held[1]!]))
    t.same([...again.keys()], [1])
    await done(release())
    await done(releasing)
    const stored = await done(store.partitions())
    t.same(
      stored.map(({ owner }) => owner),
      [null, 'one', null, null],
    )
    t.equal(stored[1]!.epoch, again.get(1))
  })

  t.test('one of two takers gets the partition', async (t) => {
    const { server, store, done } = await begin(t, open)
    const other = await server.store()
    await done(store.join('two', FACTS))
    const release = await server.hold({ partition: 3 }, 'update')
    const [mine, yours] = [store.take('one', [free(3)]), other.take('two', [free(3)])]
    t.ok(await waits(server, mine))
    await done(release())
    const taken = await done(Promise.all([mine, yours]))
    t.same(taken.map(({ size }) => size).sort(), [0, 1])
  })

  t.test('take waits for commits under way, for five seconds', async (t) => {
    const { server, store, done, epochs } = await begin(t, open)
    await done(store.leave('one'))
    await done(store.join('two', FACTS))
    const seen = [{ id: 0, epoch: epochs.get(0)! }]
    const release = await server.hold({ partition: 0 }, 'share')
    const taking = store.take('two', seen)
    t.ok(await waits(server, taking))
    await done(release())
    t.equal((await done(taking)).size, 1)
    const again = await server.hold({ partition: 1 }, 'share')
    await done(refused(t, store.take('two', [{ id: 1, epoch: epochs.get(1)! }]), '55P03', 'too long'))
    await done(again())
  })
}
