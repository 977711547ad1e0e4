export { beginOfDay, type Opening, openingAt, openTimes } from './office_hours.ts'
