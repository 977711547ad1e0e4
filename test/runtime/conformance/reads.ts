/** Reads of the outbox and of timers. */
import type { Test } from 'tap'
import { begin, commitOf, LETTER, type Open } from './store_server.ts'

export function reads(t: Test, open: Open): void {
  t.test('the outbox is read by source and number, from floors on', async (t) => {
    const { store, done, source, commit } = await begin(t, open)
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
      const counts = await done(store.countOutbox(floors, limit))
      return [...counts].map(([partition, of_receiver]) => [
        partition,
        [...of_receiver.values()].reduce((a, b) => a + b, 0),
      ])
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

  t.test('the outbox is read for one actor, by source and number, up to the given limit', async (t) => {
    const { store, done, source, commit } = await begin(t, open)
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

  t.test('due timers are read with the earliest of each partition first, and awake actors by page', async (t) => {
    const { store, done, commit } = await begin(t, open)
    const timers = [1, 2, 3, 4].map((n) => ({
      address: `link/${n}`,
      partition: n % 2,
      name: 'alarm',
      due: n * 1000,
      json: `{"type":"ring","n":${n}}`,
    }))
    const awake = timers.map((timer) => ({ ...timer, name: '#awake', due: null }))
    await done(commit(1, { timers: [...timers, ...awake] }))
    const read = async (partitions: number[], until: number, limit = 10, without: string[] = []) =>
      (await done(store.readTimers(partitions, until, limit, without))).map(({ due }) => due).sort()
    t.same(await read([0, 1], 3000), [1000, 2000, 3000])
    t.same(await read([0, 1], 2999), [1000, 2000])
    t.same(await read([1], 4000), [1000, 3000])
    t.same(await read([0, 1], 4000, 1), [1000, 2000], 'one of each partition')
    t.same(await read([0, 1], 4000, 1, ['link/1', 'link/9']), [2000, 3000], 'without some actors')
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
}
