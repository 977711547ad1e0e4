import { inTransaction, type Migration } from './step.ts'

/** A visitor of the web chat may leave an e-mail address. */
export const contactEmail: Migration = {
  name: '0085_contact_email',
  steps: [inTransaction('alter table contact add column email text')],
}
