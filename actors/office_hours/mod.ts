export { type Opening, openingAt, openTimes } from './office_hours.ts'
