import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { everyOutcome, type Race } from '../support/mod.ts'

const NAMES = ['one', 'other']

/** A race that the first arrival wins. */
const first: Race = async (one, other) => {
  const order: string[] = []
  await Promise.all([one(() => order.push('one')), other(() => order.push('other'))])
  return order[0]!
}

t.test('a race is repeated until each side came first', async (t) => {
  const seen = await everyOutcome(NAMES, first, { rounds: 4, head_start_ms: 5 })
  t.equal(
    [...seen.values()].reduce((sum, count) => sum + count),
    4,
    'one sweep is enough',
  )
  for (const [name, count] of seen) t.ok(count > 0, name)
})

t.test('a longer head start follows where one side is slow', async (t) => {
  const rounds: number[] = []
  const seen = await everyOutcome(
    NAMES,
    async (one, other, round) => {
      rounds.push(round)
      const order: string[] = []
      const slow = async () => {
        await sleep(60)
        order.push('one')
      }
      await Promise.all([one(slow), other(() => order.push('other'))])
      return order[0]!
    },
    { rounds: 4, head_start_ms: 10 },
  )
  t.ok(seen.get('one')! > 0 && seen.get('other')! > 0)
  t.ok(rounds.length > 4, `${rounds.length} rounds`)
  t.same(rounds, [...rounds.keys()])
})

t.test('an outcome that never comes, and one without a name, fail', async (t) => {
  const quick = { rounds: 2, head_start_ms: 1 }
  await t.rejects(
    everyOutcome(NAMES, async () => ['one'], quick),
    { message: 'It never came out as: other' },
  )
  await t.rejects(
    everyOutcome(NAMES, async () => 'neither', quick),
    { message: 'An outcome that was not expected: neither' },
  )
})
