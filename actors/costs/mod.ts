/** The prices that providers charge for messages. */
export { fromMillionths, isAmount, toMillionths } from './amount.ts'
export { forgetRates, readRateTable } from './known_rates.ts'
export { marketNamed, OTHER, withoutOther } from './markets.ts'
export { isMarketing, RateTable } from './rate_table.ts'
