import fc from 'fast-check'
import t from 'tap'
import { dueWarning } from '../../../actors/project/tokens/warn_expiring_tokens.ts'
import { listExpiringTokens, objectId, Token } from '../../../storage/mod.ts'
import { storeTenant } from '../../storage/records.ts'
import { testDatabase } from '../../support/mod.ts'

const HOUR_MS = 3_600_000
const now = new Date('2026-11-23T12:00:00Z')

t.test('the search finds the tokens for which the project will warn, in pages', async (t) => {
  const { database } = await testDatabase(t)
  const { token } = await storeTenant(database)
  const hours = (most: number) =>
    fc.integer({ min: -2, max: most }).map((n) => new Date(now.getTime() + n * 12 * HOUR_MS))
  const rows = fc.sample(
    fc.record({
      created_at: fc.integer({ min: 0, max: 60 }).map((n) => new Date(now.getTime() - n * 12 * HOUR_MS)),
      expires_at: fc.option(hours(40), { freq: 10 }),
      warned_days: fc.constantFrom(1, 3, 14),
      is_warned: fc.boolean(),
      is_moved: fc.boolean(),
    }),
    400,
  )
  const tokens = rows.map(({ is_warned, is_moved, warned_days, ...fields }) => ({
    ...token,
    ...fields,
    _id: objectId(),
    hash: objectId(),
    warned_days: is_warned ? warned_days : null,
    warned_expires_at: is_warned ? (is_moved ? new Date(0) : fields.expires_at) : null,
  })) as Token[]
  await database.em().insertMany(Token, tokens)
  for (const warning_days of [[14, 3, 1], [3], [1, 30]]) {
    const due = tokens.filter((one) => dueWarning(one, warning_days, now) !== undefined).map(({ _id }) => _id)
    const found: string[] = []
    let after: Awaited<ReturnType<typeof listExpiringTokens>>[number] | undefined
    do {
      const page = await listExpiringTokens(database, { now, warning_days, after, limit: 7 })
      found.push(...page.map(({ token_id }) => token_id))
      after = page.at(-1)
    } while (after !== undefined)
    t.ok(due.length > 0 && due.length < tokens.length, `${due.length} are due`)
    t.same(found.toSorted(), due.toSorted())
  }
  t.same(await listExpiringTokens(database, { now, warning_days: [], limit: 7 }), [])
})
