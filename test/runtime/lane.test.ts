/** I6: the source of a lane is higher than any that the former owners of its partitions used. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { PendingTurn } from '../../runtime/actor/pending_turn.ts'
import { Lane } from '../../runtime/commit/lane.ts'
import { PostgresStore } from '../../runtime/commit/postgres_store.ts'
import { silentLog } from '../../runtime/mod.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import type { Database, Sql } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { textOf } from '../support/text_of.ts'
import { until } from './support/wait.ts'

t.test('partitions taken while a lane registers its source are served under a later one', async (t) => {
  const { database } = await testDatabase(t)
  let registered = 0
  const slow: Database = {
    ...database,
    async execute<Row>(statement: Sql | string, params?: readonly unknown[]) {
      const rows = await database.execute<Row>(statement as string, params)
      if (/insert into lane/.test(textOf(statement)) && ++registered === 1) await pause(300)
      return rows
    },
  }
  const sources: number[] = []
  const never = () => t.fail('it is committed')
  const owner = {
    epoch: () => 1,
    isDeciding: () => false,
    committed: (_pending_turns: PendingTurn[], _sent: unknown, source: number) => sources.push(source),
    faulted: never,
    repeated: never,
    fenced: never,
    retracted: never,
    doubtful: never,
    hindered: never,
    rewound: never,
  }
  const lane = new Lane(new PostgresStore(slow), 'one', owner, systemClock, silentLog)
  const pending_turn = new PendingTurn(null, new Date(), undefined, 4)
  pending_turn.tell('counter/a', { type: 'add' })
  lane.push(pending_turn)
  await until(() => registered === 1)
  const [former] = await database.execute(`insert into lane (node) values ('two') returning source::int`)
  lane.renew()
  await lane.flush()
  t.equal(sources.length, 1)
  t.ok(sources[0]! > Number(former!.source))
})
