import type { GetCostsPage } from '../../../client/generated/types.ts'

export type Costs = GetCostsPage
export type GroupedCost = Costs['data'][number]
export type MarketingSpending = NonNullable<Costs['marketing']>
