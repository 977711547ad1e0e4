export { type Opening, openingAt } from './office_hours.ts'
