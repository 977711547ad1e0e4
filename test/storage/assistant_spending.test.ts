/** Reservations of what assistants may spend. */
import t from 'tap'
import { openDatabase, reserveSpending, type SpendingScope, settleSpending } from '../../storage/mod.ts'
import { testDatabaseUrl } from '../support/mod.ts'

const url = await testDatabaseUrl(t)
const database = await openDatabase({ url, pool_size: 8 })
t.teardown(() => database.close())

const day = (max_tokens: number | null, max_cost: bigint | null = null): SpendingScope => ({
  ...{ scope: 'assistant:a', period: '2026-11-30', max_tokens, max_cost },
})
const month = (max_tokens: number | null): SpendingScope => ({
  ...{ scope: 'project', period: '2026-11', max_tokens, max_cost: null },
})
const rowsOf = (project_id: string) =>
  database.execute<{ scope: string; tokens: string; reserved_tokens: string; cost: string; reserved_cost: string }>(
    `select scope, tokens::text, reserved_tokens::text, cost::text, reserved_cost::text from assistant_spending
      where project_id = ? order by scope`,
    [project_id],
  )

t.test('calls at the same moment reserve no more than there is, whatever the order of their scopes', async (t) => {
  const project_id = 'race'
  const scopes = [day(1000), month(5000)]
  const reserved = { tokens: 100, cost: 7n }
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      reserveSpending(database, project_id, at % 2 === 0 ? scopes : scopes.toReversed(), reserved),
    ),
  )
  t.equal(outcomes.filter((full) => full === undefined).length, 10)
  t.same([...new Set(outcomes.flatMap((full) => full?.scope ?? []))], ['assistant:a'])
  t.match(await rowsOf(project_id), [
    { scope: 'assistant:a', tokens: '0', reserved_tokens: '1000', reserved_cost: '70' },
    { scope: 'project', tokens: '0', reserved_tokens: '1000' },
  ])
  const spent = { tokens: 30, cost: 2n }
  await Promise.all(Array.from({ length: 10 }, () => settleSpending(database, project_id, scopes, reserved, spent)))
  t.match(await rowsOf(project_id), [
    { tokens: '300', reserved_tokens: '0', cost: '20', reserved_cost: '0' },
    { tokens: '300', reserved_tokens: '0', cost: '20', reserved_cost: '0' },
  ])
  t.equal(
    await reserveSpending(database, project_id, scopes, { tokens: 700, cost: 0n }),
    undefined,
    'there is room again',
  )
  t.match(await reserveSpending(database, project_id, scopes, { tokens: 1, cost: 0n }), { scope: 'assistant:a' })
})

t.test('a call that one scope refuses reserves in none', async (t) => {
  const project_id = 'none'
  t.match(await reserveSpending(database, project_id, [day(1000), month(50)], { tokens: 100, cost: 1n }), {
    scope: 'project',
  })
  t.match(await rowsOf(project_id), [{ reserved_tokens: '0' }, { reserved_tokens: '0' }])
})

t.test('money is counted exactly, and failures give all back', async (t) => {
  const project_id = 'money'
  const scopes = [day(null, 1_000_000_000_000_000_001n)]
  const cost = 1_000_000_000_000_000_001n
  t.equal(await reserveSpending(database, project_id, scopes, { tokens: 1, cost }), undefined)
  t.match(await reserveSpending(database, project_id, scopes, { tokens: 0, cost: 1n }), { period: '2026-11-30' })
  await settleSpending(database, project_id, scopes, { tokens: 1, cost }, { tokens: 0, cost: 0n })
  t.match(await rowsOf(project_id), [{ tokens: '0', reserved_tokens: '0', cost: '0', reserved_cost: '0' }])
  t.equal(await reserveSpending(database, project_id, scopes, { tokens: 1, cost }), undefined)
})
