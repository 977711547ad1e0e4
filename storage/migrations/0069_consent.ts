import { inTransaction, type Migration } from './step.ts'

/** A contact has the person's wish about marketing messages. */
export const consent: Migration = {
  name: '0069_consent',
  steps: [inTransaction('alter table contact add column consent jsonb')],
}
