import t from 'tap'
import { MarketingBudget } from '../../../actors/project/costs/marketing_budget.ts'

const at = (text: string) => new Date(`${text}T12:00:00Z`)

t.test('a new month has no costs, and what is reserved stays reserved', (t) => {
  const budget = new MarketingBudget('2026-11', 100, new Map([['2026-11-20', 7]]))
  budget.reserve(at('2026-11-30'), 5)
  t.equal(budget.taken(at('2026-11-30')), 112)
  t.equal(budget.taken(new Date('2026-12-01T00:00:00Z')), 12)
  budget.charge(at('2026-12-02'), 5)
  budget.release(at('2026-11-30'), 5)
  t.equal(budget.taken(at('2026-12-02')), 12)
  t.equal(budget.taken(at('2026-11-30')), 12, 'a clock that is set back does not begin the month again')
  t.end()
})

t.test('a message that was never delivered is reserved for thirty days', (t) => {
  const budget = new MarketingBudget('2026-11', 0, new Map([['2026-11-20', 7]]))
  t.equal(budget.taken(at('2026-12-20')), 7)
  t.equal(budget.taken(at('2026-12-21')), 0)
  budget.release(at('2026-11-20'), 7)
  t.equal(budget.taken(at('2026-12-21')), 0, 'and is not released twice')
  t.end()
})
