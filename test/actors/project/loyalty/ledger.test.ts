/** The rules of a ledger hold for any sequence of movements, at any times, under any program. */
import fc from 'fast-check'
import t from 'tap'
import { expire, isDue, MAX_POINTS, type Movements, move, signed } from '../../../../actors/project/loyalty/ledger.ts'
import { Refusal } from '../../../../runtime/mod.ts'
import {
  figuresAt,
  type LoyaltyMembership,
  type LoyaltyProgram,
  type MovementKind,
  tierAt,
} from '../../../../storage/mod.ts'

const START = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000

const program = fc.record({
  type: fc.constantFrom('points' as const, 'stamps' as const),
  days: fc.constantFrom(0, 1, 3),
  is_active: fc.boolean(),
  thresholds: fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 4 }),
})
const amount = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constant(MAX_POINTS))
const movement = fc.record({
  kind: fc.constantFrom('earn' as const, 'redeem' as const, 'adjust' as const),
  amount: fc.oneof(
    amount,
    amount.map((value) => -value),
  ),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('move' as const), movement }) },
  // The clock may go back.
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: -10, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('timer' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rules' as const), days: fc.constantFrom(0, 1, 2) }) },
)

function newProgram({ type, days, is_active, thresholds }: typeof program extends fc.Arbitrary<infer P> ? P : never) {
  const expiration_days = type === 'points' ? days : 0
  const tiers = thresholds.map((threshold) => ({ name: `from ${threshold}`, threshold }))
  return { type, rules: { points: { expiration_days } }, tiers, is_active } as LoyaltyProgram
}

function newMembership(tiers: LoyaltyProgram['tiers']): LoyaltyMembership {
  const figures = { balance_points: 0, stamps_count: 0, tier: tierAt(tiers, 0), entry_count: 0 }
  return { ...figures, enrolled_at: new Date(START), expired_at: null } as LoyaltyMembership
}

t.test('any sequence of movements adds up, without gaps, and expires once', async (t) => {
  fc.assert(
    fc.property(program, fc.array(step, { maxLength: 60 }), (given, steps) => {
      const program = newProgram(given)
      const membership = newMembership(program.tiers)
      const ledger: Movements['entries'] = []
      let now = START
      const apply = ({ entries, changes }: Movements) => {
        ledger.push(...entries)
        Object.assign(membership, changes)
      }
      for (const step of steps) {
        const at = new Date(now)
        const member = { membership, program }
        const before = figuresAt(program, membership, at)
        if (step.do === 'wait') now += step.hours * HOUR_MS
        else if (step.do === 'rules' && program.type === 'points')
          program.rules = { points: { expiration_days: step.days } }
        else if (step.do === 'timer' && isDue(member, at)) apply(expire(member, at))
        else if (step.do === 'move') {
          const { kind } = step.movement
          const amount = kind === 'earn' ? Math.abs(step.movement.amount) : signed(kind, step.movement.amount)
          const balance = program.type === 'points' ? before.balance_points : before.stamps_count
          const code = refusalOf(() => apply(move(member, kind, amount, at)))
          same(code, expected(program, kind, balance, amount))
          const after = figuresAt(program, membership, at)
          if (code === undefined) {
            same(after.balance_points + after.stamps_count, balance + amount)
            same(after.tier, tierAt(program.tiers, after.balance_points))
          } else same(after, before)
        }
        check(program, membership, ledger)
      }
    }),
    { numRuns: 500 },
  )
  t.pass('500 sequences')
})

function expected({ is_active }: LoyaltyProgram, kind: MovementKind, balance: number, amount: number) {
  if (kind === 'earn' && !is_active) return 'PROGRAM_INACTIVE'
  if (balance + amount < 0) return 'INSUFFICIENT_BALANCE'
  return balance + amount > MAX_POINTS ? 'BALANCE_LIMIT_REACHED' : undefined
}

function check(program: LoyaltyProgram, membership: LoyaltyMembership, ledger: Movements['entries']): void {
  let sum = 0
  for (const [place, { number, kind, amount, balance_after }] of ledger.entries()) {
    sum += amount
    same([number, balance_after], [place + 1, sum])
    if (amount === 0 || sum < 0 || (kind === 'expire' && sum !== 0)) throw new Error(`a wrong entry: ${kind} ${amount}`)
  }
  const { balance_points, stamps_count, entry_count } = membership
  same([balance_points, stamps_count], program.type === 'points' ? [sum, 0] : [0, sum])
  same(entry_count, ledger.length)
  if (ledger.filter(({ kind }) => kind === 'expire').length > 1) throw new Error('it expired twice')
}

function refusalOf(act: () => void): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.code
  }
}

function same(found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (one !== other) throw new Error(`${one} instead of ${other}`)
}

t.test('the tier is the highest level that the points reach, in whatever order levels are given', async (t) => {
  const tiers = [
    { name: 'Gold', threshold: 500 },
    { name: 'Base', threshold: 0 },
    { name: 'Silver', threshold: 100 },
  ]
  const found = [0, 99, 100, 499, 500, 10_000].map((points) => tierAt(tiers, points))
  t.same(found, ['Base', 'Base', 'Silver', 'Silver', 'Gold', 'Gold'])
  t.equal(tierAt([], 1000), '')
  t.equal(tierAt(tiers.slice(0, 1), 499), '')
})
