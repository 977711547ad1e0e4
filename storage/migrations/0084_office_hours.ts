import { inTransaction, type Migration } from './step.ts'

/** A project has the times at which people answer. */
export const officeHours: Migration = {
  name: '0084_office_hours',
  steps: [inTransaction('alter table project add column office_hours jsonb')],
}
