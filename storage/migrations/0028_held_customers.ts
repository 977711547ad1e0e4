import { inBatches, inTransaction, type Migration } from './step.ts'

/** A customer whom a contact is linked to cannot be deleted, at whatever moment the contact is linked. */
export const heldCustomers: Migration = {
  name: '0028_held_customers',
  steps: [
    inTransaction(
      `alter table contact add constraint contact_customer_id_fkey foreign key (customer_id) references customer not valid`,
    ),
    // Deleted before the constraint was there, by a node that stopped before it could bring them back.
    inBatches({
      table: 'contact',
      key: '_id',
      set: 'customer_id = null',
      where: 'customer_id is not null and not exists (select from customer where customer._id = contact.customer_id)',
    }),
    inTransaction('alter table contact validate constraint contact_customer_id_fkey'),
  ],
}
