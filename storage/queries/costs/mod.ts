export { findRateCurrency, listRates } from './rates.ts'
export { findMarketingCap, readMarketingSpending, type Spending } from './spending.ts'
export {
  type CostFilter,
  type CostGroup,
  type CostSum,
  costGroups,
  type GroupedCost,
  sumCosts,
  totalCosts,
} from './sums.ts'
