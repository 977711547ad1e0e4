import { inTransaction, type Migration } from './step.ts'

/** A known text sealed under the `PARLEY_SECRET` of this database, which reveals a node with another secret. */
export const vaultCanary: Migration = {
  name: '0020_vault_canary',
  steps: [
    inTransaction(
      `create table vault_canary (
      id smallint primary key check (id = 1),
      sealed text collate "C" not null,
      created_at timestamptz(3) not null default now()
    )`,
    ),
  ],
}
