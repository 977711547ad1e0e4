/** Servers that take no writes, and connections that break. */
import type { Test } from 'tap'
import { begin, FACTS, free, type Open, refused, sqlStateOf, waits } from './store_server.ts'

export function outages(t: Test, open: Open): void {
  t.test('a server that takes no writes says so', async (t) => {
    const { server, store, done, commit } = await begin(t, open)
    await server.readOnly(true)
    // The client may find only now that its connection was dropped.
    await done(store.members(0).catch(() => {}))
    await done(commit(1).catch(() => {}))
    await done(refused(t, commit(1), '25006', 'a commit'))
    await done(refused(t, store.renew('one', FACTS, 0, 0, 5000), '25006', 'a renewal'))
    await done(refused(t, store.take('one', [free(3)]), '25006', 'a take'))
    await server.readOnly(false)
    await done(commit(1))
    t.type((await done(store.renew('one', FACTS, 0, 0, 5000))).stamp, 'number')
  })

  t.test('a broken connection fails its waiting calls, and the next call has a new one', async (t) => {
    const { server, store, done, commit, epochs } = await begin(t, open)
    const release = await server.hold({ partition: 0 }, 'update')
    const held = { id: 0, epoch: epochs.get(0)! }
    const waiting = [commit(1, { fences: [{ partition: 0, epoch: held.epoch }] }), store.release('one', [held])].map(
      (work) => work.then(() => 'done', sqlStateOf),
    )
    t.ok(await waits(server, Promise.race(waiting)))
    store.breakConnections()
    t.same(await done(Promise.all(waiting)), ['none', 'none'], 'nobody knows what became of them')
    await done(release())
    // A server completes a statement that it has begun, even when nobody listens.
    for (;;) {
      if ((await done(store.partitions()))[0]!.owner === null) break
      await server.pass(20)
    }
    t.pass('it was carried out')
  })
}
