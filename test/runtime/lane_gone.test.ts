/** I15 A lane finds that the database has lost its source, however long the source was in use. */
import t from 'tap'
import type { Activation } from '../../runtime/actor/activation.ts'
import { PendingTurn } from '../../runtime/actor/pending_turn.ts'
import { Lane, type LaneOwner } from '../../runtime/commit/lane.ts'
import type { Commit, Store } from '../../runtime/commit/store.ts'
import { silentLog } from '../../runtime/log.ts'
import { TurnedClock } from './support/turned_clock.ts'

for (const age of [5_000, 31_000, 3_600_000])
  t.test(`I15 a database that went back to before the source is noticed after ${age} ms`, async (t) => {
    const clock = new TurnedClock()
    let last = 1
    let lanes = new Map<number, number>()
    const store: Partial<Store> = {
      newSource: async (_node, former) => {
        lanes.delete(former)
        lanes.set(++last, 0)
        return last
      },
      settleDoubt: async (source, commits) => {
        if (lanes.get(source) === commits) lanes.set(source, commits + 2)
        return lanes.get(source)
      },
      transaction: ({ source, commits }: Commit) => ({
        characters: 1,
        run: async () => {
          if (lanes.get(source) !== commits - 1) throw Object.assign(new Error('retired'), { code: 'PL003' })
          lanes.set(source, commits)
        },
      }),
    }
    const committed: string[] = []
    let epoch: number | undefined = 1
    const owner: Partial<LaneOwner> = {
      epoch: () => epoch,
      isDeciding: () => false,
      committed: (turns) => void committed.push(...turns.map(({ address }) => address)),
      // The node throws its memory away.
      rewound: () => {
        epoch = undefined
      },
      fenced() {},
    }
    const lane = new Lane(store as Store, 'node', owner as LaneOwner, clock, silentLog)
    const commit = (address: string) => {
      const activation = { address, partition: 1, epoch: 1, state: {} } as Activation
      const turn = new PendingTurn(activation, new Date(), undefined, 4)
      turn.save()
      lane.push(turn)
      return lane.flush()
    }
    await commit('x/before')
    // The lane is idle meanwhile.
    for (let passed = 0; passed < age; passed += 1000) {
      clock.turn(1000)
      await lane.flush()
    }
    lanes = new Map()
    await commit('x/after')
    t.same(committed, ['x/before'], 'a turn that was decided on lost commits is not committed')
  })
