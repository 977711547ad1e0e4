/** Commits, their counters, and commits whose end is not known. */
import type { Test } from 'tap'
import { begin, commitOf, type Given, LETTER, type Open, type Row, refused, sqlStateOf, waits } from './store_server.ts'

export function commits(t: Test, open: Open): void {
  t.test('a commit holds all its changes or none', async (t) => {
    const { store, done, source, commit, fences } = await begin(t, open)
    const due = Date.UTC(2030, 5, 1)
    const alarm = { address: 'link/a', partition: 0, name: 'alarm', due, json: '{"type":"ring"}' }
    const awake = { address: 'link/a', partition: 0, name: '#awake', due: null, json: '{"type":"wake"}' }
    const letters = [1, 2].map((number) => ({ ...LETTER, partition: 1, number }))
    const full = {
      fences,
      sent: letters,
      timers: [alarm, awake],
      states: [{ address: 'link/a', json: '{"n":1}' }],
      dead: [{ partition: 1, address: 'link/c', sender: null, json: '{"type":"odd"}', error: 'no' }],
    }
    await done(commit(1, full))
    const carried = {
      source,
      address: 'link/b',
      sender: 'link/a',
      message: { type: 'pass', n: 1 },
      size: LETTER.json.length,
    }
    t.same(await done(store.readOutbox(1, 0, [], 10, 1000)), [
      { ...carried, number: 1 },
      { ...carried, number: 2 },
    ])
    t.same(await done(store.readStates(['link/a', 'link/b'])), new Map([['link/a', { n: 1 }]]))
    const { json: _, ...ring } = alarm
    t.same(await done(store.readTimers([0, 1], due, 10, [])), [{ ...ring, message: { type: 'ring' } }])
    t.same(await done(store.readAwake([0, 1], '', 10)), [{ partition: 0, address: 'link/a' }])
    const settle = [{ partition: 1, source, number: 1 }]
    const fired = [{ address: 'link/a', name: 'alarm', due: due + 1 }]
    const states = [{ address: 'link/a', json: '{"n":2}' }]
    await done(refused(t, commit(2, { fences, settle, fired, states }), 'PL001', 'a timer that was set otherwise'))
    t.same(await done(store.unsettled([{ partition: 1, source, number: 1 }])), [true], 'nothing of it happened')
    t.same(await done(store.unfired([{ address: 'link/a', name: 'alarm', due }])), [true])
    await done(commit(2, { fences, settle, fired: [{ address: 'link/a', name: 'alarm', due }], states }))
    t.same(await done(store.unsettled([1, 2].map((number) => ({ partition: 1, source, number })))), [false, true])
    t.same(await done(store.unfired([{ address: 'link/a', name: 'alarm', due }])), [false])
    t.same(await done(store.readStates(['link/a'])), new Map([['link/a', { n: 2 }]]))
    await done(commit(3, { fences, timers: [{ ...awake, json: null }] }))
    t.same(await done(store.readTimers([0, 1], due, 10, [])), [])
    t.same(await done(store.readAwake([0, 1], '', 10)), [])
    t.same([await done(store.unsettled([])), await done(store.unfired([]))], [[], []])
  })

  t.test('settling twice is refused', async (t) => {
    const { store, done, source, commit, fences } = await begin(t, open)
    await done(commit(1, { sent: [{ ...LETTER, partition: 0, number: 1 }] }))
    const settle = [{ partition: 0, source, number: 1 }]
    await done(refused(t, commit(2, { fences, settle: [...settle, ...settle] }), 'PL001', 'in one commit'))
    await done(commit(2, { fences, settle }))
    await done(refused(t, commit(3, { fences, settle }), 'PL001', 'in another'))
    await done(
      refused(
        t,
        commit(3, { sent: [1, 1].map((number) => ({ ...LETTER, partition: 0, number })) }),
        '23505',
        'numbers',
      ),
    )
    t.same(await done(store.readOutbox(0, 0, [], 10, 1000)), [])
  })

  t.test('the fence refuses a commit of another epoch, and waits for a taker under way', async (t) => {
    const { server, store, done, epochs, commit, fences } = await begin(t, open)
    const stale = [{ partition: 0, epoch: epochs.get(0)! - 1 }]
    await done(refused(t, commit(1, { fences: stale }), 'PL002', 'another epoch'))
    await done(commit(1, { fences }))
    const release = await server.hold({ partition: 0 }, 'update')
    const committing = commit(2, { fences })
    t.ok(await waits(server, committing))
    await done(release())
    await done(committing)
    await done(store.seize('two', [1]))
    await done(refused(t, commit(3, { fences }), 'PL002', 'one of them was taken'))
    await done(commit(3, { fences: fences.slice(0, 1) }))
  })

  t.test('commits do not wait for each other by the fence', async (t) => {
    const { server, done, commit, fences } = await begin(t, open)
    const release = await server.hold({ partition: 0 }, 'share')
    await done(commit(1, { fences }))
    await done(release())
  })

  t.test('the counter refuses a repeated commit, and a source that was left', async (t) => {
    const { store, done, source, commit } = await begin(t, open)
    await done(commit(1))
    await done(refused(t, commit(1), 'PL003', 'again'))
    await done(refused(t, commit(3), 'PL003', 'ahead'))
    const next = await done(store.newSource('one', source))
    t.ok(next > source)
    await done(refused(t, commit(2), 'PL003', 'a source that was left'))
    await done(store.transaction(commitOf(next, 1)).run())
    await done(store.retireSources(60_000))
    await done(store.transaction(commitOf(next, 2)).run())
    await done(store.retireSources(0))
    await done(refused(t, store.transaction(commitOf(next, 3)).run(), 'PL003', 'an old one'))
    t.equal(await done(store.settleDoubt(next, 2)), undefined)
  })

  t.test('sources become visible in the order of their numbers', async (t) => {
    const { server, store, done, source } = await begin(t, open)
    const release = await server.hold({ lane: source }, 'update')
    const waiting = store.newSource('one', source)
    const other = await done(store.newSource('two', 0))
    await done(release())
    t.ok((await done(waiting)) > other, 'one that had to wait is drawn after its wait')
  })

  t.test(
    'a doubt is settled whether or not the commit happened, and afterwards the commit cannot happen',
    async (t) => {
      const { server, store, done, source, commit } = await begin(t, open)
      await done(commit(1))
      t.equal(await done(store.settleDoubt(source, 0)), 1, 'it had happened')
      t.equal(await done(store.settleDoubt(source, 1)), 3, 'it had not')
      await done(refused(t, commit(2), 'PL003', 'too late'))
      await done(commit(4))
      // The commit is in flight and holds the row of its counter.
      const release = await server.hold({ lane: source }, 'update')
      const settling = store.settleDoubt(source, 4)
      t.ok(await waits(server, settling), 'the answer waits for the commit under way')
      await done(release())
      t.equal(await done(settling), 6)
      t.equal(await done(store.settleDoubt(source + 1000, 0)), undefined)
    },
  )

  t.test('either the doubt or the commit in flight wins', async (t) => {
    const { server, store, done, source, commit } = await begin(t, open)
    const release = await server.hold({ lane: source }, 'update')
    // A busy machine takes longer than the second that commits wait by default.
    const committing = commit(1, {}, 60_000).then(
      () => 'committed',
      (error) => sqlStateOf(error),
    )
    t.ok(await waits(server, committing))
    await server.queued(1)
    const settling = store.settleDoubt(source, 0)
    t.ok(await waits(server, settling))
    await server.queued(2)
    await done(release())
    const [outcome, count] = await done(Promise.all([committing, settling]))
    t.same([outcome, count], ['committed', 1], 'first come, first served')
  })

  t.test('a commit waits for rows that others hold, for a second or as long as it says', async (t) => {
    const { server, store, done, source, commit, fences } = await begin(t, open)
    const due = Date.UTC(2030, 5, 1)
    const ring = { address: 'link/a', partition: 0, name: 'alarm', due, json: '{"type":"ring"}' }
    const states = [{ address: 'link/a', json: '{}' }]
    await done(commit(1, { sent: [{ ...LETTER, partition: 0, number: 1 }], timers: [ring], states }))
    const settle = [{ partition: 0, source, number: 1 }]
    const fired = [{ address: 'link/a', name: 'alarm', due }]
    const rows: [Row, Given][] = [
      [{ outbox: [0, source, 1] }, { settle }],
      [{ timer: ['link/a', 'alarm'] }, { fired }],
      [{ timer: ['link/a', 'alarm'] }, { timers: [ring] }],
      [{ state: 'link/a' }, { states }],
      [{ lane: source }, {}],
      [{ partition: 1 }, { fences }],
    ]
    for (const [row, given] of rows) {
      const release = await server.hold(row, 'update')
      const hindered = commit(2, given, 250)
      t.ok(await waits(server, hindered), `waits for ${JSON.stringify(row)}`)
      await done(refused(t, hindered, '55P03', 'not for longer'))
      await done(release())
    }
    const release = await server.hold({ state: 'link/a' }, 'update')
    const patient = commit(2, { states })
    t.ok(await waits(server, patient))
    await done(release())
    await done(patient)
    t.equal(await done(store.settleDoubt(source, 1)), 2)
  })
}
