import { buildIndex, inTransaction, type Migration } from './step.ts'

/** A customer has the id of the company's own system. */
export const customerExternalId: Migration = {
  name: '0073_customer_external_id',
  steps: [
    inTransaction('alter table customer add column external_id text'),
    buildIndex('customer_external_id', 'customer (company_id, external_id) where external_id is not null', {
      is_unique: true,
    }),
  ],
}
