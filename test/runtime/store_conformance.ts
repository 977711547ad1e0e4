/**
 * What the engine relies on in its store, proven alike over PostgreSQL (`store.test.ts`) and over the model of it that
 * simulated histories use (`test/simulation/model_store.test.ts`): a fault that the model has is one that the suite cannot see.
 */
import type { Test } from 'tap'
import type { Commit, NodeFacts, Store } from '../../runtime/store.ts'
import type { Owner } from '../support/mod.ts'

export type Row =
  | { partition: number }
  | { lane: number }
  | { node: string }
  | { outbox: [partition: number, source: number, number: number] }
  | { timer: [address: string, name: string] }
  | { state: string }

/** A server of its own for one test, with ways to stand between its clients and its rows. */
export type StoreServer = {
  /** A client with connections of its own. */
  store(): Promise<Store>
  /** Another session holds a row until the returned function is called. */
  hold(row: Row, mode: 'share' | 'update'): Promise<() => Promise<void>>
  /** Lets time pass. */
  pass(ms: number): Promise<void>
  /** Waits for what was begun. */
  done<Result>(work: Promise<Result>): Promise<Result>
  /** From now on the server takes no writes, or takes them again. Connections of clients are dropped. */
  readOnly(yes: boolean): Promise<void>
}

const FACTS: NodeFacts = { leaving: false, broker: null, started_at: 1, host: 'here', pid: 1, backlog: 0 }
/** Long enough for what is not blocked, shorter than any wait for a lock. */
const MOMENT_MS = 150
const LETTER = { address: 'link/b', sender: 'link/a', json: '{"type":"pass","n":1}' }

type Given = Partial<Omit<Commit, 'source' | 'commits'>>

/** A commit that says nothing but what is given. */
function commitOf(source: number, commits: number, given: Given = {}): Commit {
  const nothing = { fences: [], settle: [], fired: [], timers: [], states: [], sent: [], dead: [], writes: [] }
  return { source, commits, ...nothing, ...given }
}

/** The SQLSTATE of an error or of what caused it; `none` where there is none. */
function sqlStateOf(error: unknown): string {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at) {
    if (typeof at.code === 'string' && /^[0-9A-Z]{5}$/.test(at.code)) return at.code
  }
  return 'none'
}

export function storeConformance(t: Test, open: (t: Owner) => Promise<StoreServer>): void {
  /** A server with four partitions, of which `one` has the first two. */
  async function begin(t: Owner) {
    const server = await open(t)
    const store = await server.store()
    const { done } = server
    await done(store.layOut(4))
    await done(store.join('one', FACTS))
    const epochs = await done(store.take('one', [free(0), free(1)]))
    const source = await done(store.newSource('one', 0))
    const commit = (n: number, given: Given = {}, lock_ms?: number) =>
      store.transaction(commitOf(source, n, given)).run(lock_ms)
    const fences = [0, 1].map((partition) => ({ partition, epoch: epochs.get(partition)! }))
    return { server, store, done, epochs, source, commit, fences }
  }

  const free = (id: number) => ({ id, epoch: 0 })
  const refused = (t: Test, work: Promise<unknown>, code: string, what: string) =>
    work.then(
      () => t.fail(`${what}: not refused`),
      (error) => t.equal(sqlStateOf(error), code, what),
    )
  /** Whether the work waits for something. */
  const waits = async (server: StoreServer, work: Promise<unknown>) => {
    let is_over = false
    work.then(
      () => {
        is_over = true
      },
      () => {
        is_over = true
      },
    )
    await server.pass(MOMENT_MS)
    return !is_over
  }

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
    const { server, store, done } = await begin(t)
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

  t.test('a lease is ended by its stamp only, and then it cannot be renewed', async (t) => {
    const { store, done } = await begin(t)
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

  t.test('a lease that is older than its node knows stays as it is', async (t) => {
    const { store, done } = await begin(t)
    const { stamp } = await done(store.renew('one', FACTS, 0, 0, 5000))
    for (const _ of ['told', 'told again']) {
      const lost = await done(store.renew('one', FACTS, stamp! + 1, 0, 5000))
      t.same([lost.stamp, lost.before], [undefined, stamp])
    }
    t.type((await done(store.renew('one', FACTS, stamp!, 0, 5000))).stamp, 'number')
  })

  t.test('a renewal and the end of a lease wait for each other', async (t) => {
    const { server, store, done } = await begin(t)
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
    const { server, store, done } = await begin(t)
    const release = await server.hold({ node: 'one' }, 'update')
    await t.rejects(done(store.renew('one', FACTS, 0, 0, 300)), { message: /did not answer within 300 ms/ })
    await done(release())
    t.type((await done(store.renew('one', FACTS, 0, 0, 5000))).stamp, 'number')
  })

  t.test('take: what is free, what its owner has no lease for, and only at the epoch that was seen', async (t) => {
    const { store, done, epochs } = await begin(t)
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
    t.ok(seized.get(1)! > taken.get(1)!)
    const was_held = [
      { id: 1, epoch: taken.get(1)! },
      { id: 2, epoch: held.get(2)! },
    ]
    await done(store.release('two', was_held))
    t.same(
      (await done(store.partitions())).map(({ owner }) => owner),
      ['one', 'three', null, null],
    )
  })

  t.test('a release that is carried out late frees nothing that its node has taken again', async (t) => {
    const { server, store, done, epochs } = await begin(t)
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

  t.test('of two takers one has it', async (t) => {
    const { server, store, done } = await begin(t)
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
    const { server, store, done, epochs } = await begin(t)
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

  t.test('a commit holds all that it says, or nothing of it', async (t) => {
    const { store, done, source, commit, fences } = await begin(t)
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
    t.same(await done(store.readTimers([0, 1], due, 10)), [{ ...ring, message: { type: 'ring' } }])
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
    t.same(await done(store.readTimers([0, 1], due, 10)), [])
    t.same(await done(store.readAwake([0, 1], '', 10)), [])
    t.same([await done(store.unsettled([])), await done(store.unfired([]))], [[], []])
  })

  t.test('settling twice is refused', async (t) => {
    const { store, done, source, commit, fences } = await begin(t)
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

  t.test('the fence refuses who has another epoch, and waits for a taker under way', async (t) => {
    const { server, store, done, epochs, commit, fences } = await begin(t)
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
    const { server, done, commit, fences } = await begin(t)
    const release = await server.hold({ partition: 0 }, 'share')
    await done(commit(1, { fences }))
    await done(release())
  })

  t.test('the counter refuses what was committed before, and a source that was left', async (t) => {
    const { store, done, source, commit } = await begin(t)
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
    const { server, store, done, source } = await begin(t)
    const release = await server.hold({ lane: source }, 'update')
    const waiting = store.newSource('one', source)
    const other = await done(store.newSource('two', 0))
    await done(release())
    t.ok((await done(waiting)) > other, 'one that had to wait is drawn after its wait')
  })

  t.test('a doubt is settled whether the commit happened or not, and then it cannot happen', async (t) => {
    const { server, store, done, source, commit } = await begin(t)
    await done(commit(1))
    t.equal(await done(store.settleDoubt(source, 0)), 1, 'it had happened')
    t.equal(await done(store.settleDoubt(source, 1)), 3, 'it had not')
    await done(refused(t, commit(2), 'PL003', 'too late'))
    await done(commit(4))
    // In flight: it holds the row of its counter.
    const release = await server.hold({ lane: source }, 'update')
    const settling = store.settleDoubt(source, 4)
    t.ok(await waits(server, settling), 'the answer waits for the commit under way')
    await done(release())
    t.equal(await done(settling), 6)
    t.equal(await done(store.settleDoubt(source + 1000, 0)), undefined)
  })

  t.test('a doubt and a commit in flight: one of both wins', async (t) => {
    const { server, store, done, source, commit } = await begin(t)
    const release = await server.hold({ lane: source }, 'update')
    const committing = commit(1).then(
      () => 'committed',
      (error) => sqlStateOf(error),
    )
    t.ok(await waits(server, committing))
    const settling = store.settleDoubt(source, 0)
    t.ok(await waits(server, settling))
    await done(release())
    const [outcome, count] = await done(Promise.all([committing, settling]))
    t.same([outcome, count], ['committed', 1], 'first come, first served')
  })

  t.test('a commit waits for rows that others hold, for a second or as long as it says', async (t) => {
    const { server, store, done, source, commit, fences } = await begin(t)
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

  t.test('the outbox is read by source and number, from floors on', async (t) => {
    const { store, done, source, commit } = await begin(t)
    const letters = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => ({ ...LETTER, partition: 2, number: from + i }))
    await done(commit(1, { sent: letters(1, 3) }))
    const next = await done(store.newSource('one', 0))
    await done(store.transaction(commitOf(next, 1, { sent: letters(1, 2) })).run())
    const read = async (floor: number, known: { source: number; number: number }[], limit = 10, characters = 1000) =>
      (await done(store.readOutbox(2, floor, known, limit, characters))).map((row) => [
        row.source === source ? 'a' : 'b',
        row.number,
      ])
    t.same(await read(0, []), [
      ['a', 1],
      ['a', 2],
      ['a', 3],
      ['b', 1],
      ['b', 2],
    ])
    t.same(await read(0, [], 2), [
      ['a', 1],
      ['a', 2],
    ])
    t.same(
      await read(0, [], 10, LETTER.json.length + 1),
      [
        ['a', 1],
        ['a', 2],
      ],
      'the row that reaches the characters is the last',
    )
    t.same(await read(0, [], 10, 1), [['a', 1]])
    t.same(await read(next, []), [
      ['b', 1],
      ['b', 2],
    ])
    t.same(
      await read(0, [
        { source, number: 3 },
        { source: next, number: 2 },
      ]),
      [
        ['a', 3],
        ['b', 2],
      ],
    )
    t.same(await done(store.readOutbox(3, 0, [], 10, 1000)), [])
    const backlogs = async (floor: number) => {
      const { found, lowest } = await done(
        store.backlogs([
          { partition: 2, source: floor },
          { partition: 3, source: 0 },
        ]),
      )
      return { found: found.sort((a, b) => a.source - b.source), lowest }
    }
    const both = [
      { partition: 2, source, first: 1, last: 3 },
      { partition: 2, source: next, first: 1, last: 2 },
    ]
    t.same(await backlogs(0), { found: both, lowest: source })
    t.same(await backlogs(next), { found: both.slice(1), lowest: source })
    await done(
      commit(2, {
        settle: [
          { partition: 2, source, number: 1 },
          { partition: 2, source, number: 3 },
        ],
      }),
    )
    t.same((await backlogs(0)).found[0], { partition: 2, source, first: 2, last: 2 })
    const count = async (floor: number, limit: number) => {
      const floors = [2, 3].map((partition) => ({ partition, source: floor }))
      return [...(await done(store.countOutbox(floors, limit)))].sort()
    }
    t.same(await count(0, 10), [
      [2, 3],
      [3, 0],
    ])
    t.same(await count(0, 2), [
      [2, 2],
      [3, 0],
    ])
    t.same(await count(next, 10), [
      [2, 2],
      [3, 0],
    ])
    const last = await done(store.newSource('one', source))
    t.equal((await backlogs(0)).lowest, next)
    await done(store.newSource('one', next))
    await done(store.retireSources(0))
    t.equal((await backlogs(0)).lowest, 0)
    t.ok(last > next)
  })

  t.test('the outbox is read for one actor, by source and number, as far as it is said', async (t) => {
    const { store, done, source, commit } = await begin(t)
    const letters = [1, 2, 3, 4, 5, 6].map((number) => ({
      ...LETTER,
      address: number % 2 === 0 ? 'link/even' : 'link/odd',
      partition: 2,
      number,
    }))
    await done(commit(1, { sent: letters }))
    const next = await done(store.newSource('one', 0))
    await done(store.transaction(commitOf(next, 1, { sent: letters })).run())
    const whole = { source, number: 7 }
    const read = async (below: { source: number; number: number }[], limit = 10, characters = 1000) => {
      const rows = await done(store.readOutboxOf('link/even', 2, below, limit, characters))
      return rows.map((row) => [row.source === source ? 'a' : 'b', row.number])
    }
    t.same(await read([whole, { source: next, number: 4 }]), [
      ['a', 2],
      ['a', 4],
      ['a', 6],
      ['b', 2],
    ])
    t.same(await read([{ source: next, number: 7 }]), [
      ['b', 2],
      ['b', 4],
      ['b', 6],
    ])
    t.same(await read([whole], 2), [
      ['a', 2],
      ['a', 4],
    ])
    t.same(
      await read([whole], 10, LETTER.json.length + 1),
      [
        ['a', 2],
        ['a', 4],
      ],
      'the row that reaches the characters is the last',
    )
    t.same(await read([]), [])
    t.same(await done(store.readOutboxOf('link/even', 2, [{ source, number: 3 }], 10, 1000)), [
      {
        source,
        number: 2,
        address: 'link/even',
        sender: 'link/a',
        message: { type: 'pass', n: 1 },
        size: LETTER.json.length,
      },
    ])
    t.same(await done(store.readOutboxOf('link/even', 3, [whole], 10, 1000)), [])
    await done(commit(2, { settle: [{ partition: 2, source, number: 2 }] }))
    t.same(await read([whole], 1), [['a', 4]])
  })

  t.test('timers are read as they are due, the earliest of each partition; who is awake, by page', async (t) => {
    const { store, done, commit } = await begin(t)
    const timers = [1, 2, 3, 4].map((n) => ({
      address: `link/${n}`,
      partition: n % 2,
      name: 'alarm',
      due: n * 1000,
      json: `{"type":"ring","n":${n}}`,
    }))
    const awake = timers.map((timer) => ({ ...timer, name: '#awake', due: null }))
    await done(commit(1, { timers: [...timers, ...awake] }))
    const read = async (partitions: number[], until: number, limit = 10) =>
      (await done(store.readTimers(partitions, until, limit))).map(({ due }) => due).sort()
    t.same(await read([0, 1], 3000), [1000, 2000, 3000])
    t.same(await read([0, 1], 2999), [1000, 2000])
    t.same(await read([1], 4000), [1000, 3000])
    t.same(await read([0, 1], 4000, 1), [1000, 2000], 'one of each partition')
    await done(commit(2, { timers: [{ ...timers[0]!, due: 5000 }] }))
    t.same(await read([0, 1], 4000), [2000, 3000, 4000], 'set anew')
    t.same(await done(store.unfired([1000, 5000].map((due) => ({ address: 'link/1', name: 'alarm', due })))), [
      false,
      true,
    ])
    const woken = async (partitions: number[], after: string, limit: number) =>
      (await done(store.readAwake(partitions, after, limit))).map(({ address }) => address)
    t.same(await woken([0, 1], '', 3), ['link/1', 'link/2', 'link/3'])
    t.same(await woken([0, 1], 'link/3', 3), ['link/4'])
    t.same(await woken([1], '', 3), ['link/1', 'link/3'])
  })

  t.test('a server that takes no writes says so', async (t) => {
    const { server, store, done, commit } = await begin(t)
    await server.readOnly(true)
    // A connection that was dropped may be found only now.
    await done(store.members(0).catch(() => {}))
    await done(commit(1).catch(() => {}))
    await done(refused(t, commit(1), '25006', 'a commit'))
    await done(refused(t, store.renew('one', FACTS, 0, 0, 5000), '25006', 'a renewal'))
    await done(refused(t, store.take('one', [free(3)]), '25006', 'a take'))
    await server.readOnly(false)
    await done(commit(1))
    t.type((await done(store.renew('one', FACTS, 0, 0, 5000))).stamp, 'number')
  })

  t.test('broken connections fail what waits on them; the next call has a new one', async (t) => {
    const { server, store, done, commit, epochs } = await begin(t)
    const release = await server.hold({ partition: 0 }, 'update')
    const held = { id: 0, epoch: epochs.get(0)! }
    const waiting = [commit(1, { fences: [{ partition: 0, epoch: held.epoch }] }), store.release('one', [held])].map(
      (work) => work.then(() => 'done', sqlStateOf),
    )
    t.ok(await waits(server, Promise.race(waiting)))
    store.breakConnections()
    t.same(await done(Promise.all(waiting)), ['none', 'none'], 'nobody knows what became of them')
    await done(release())
    // What a server has begun it carries out, though nobody listens.
    for (;;) {
      if ((await done(store.partitions()))[0]!.owner === null) break
      await server.pass(20)
    }
    t.pass('it was carried out')
  })
}
