import { inTransaction, type Migration } from './step.ts'

/** The keys that rotations have replaced: a key that was just added is not among them, so it is not taken for an old one. */
export const replacedKeys: Migration = {
  name: '0042_replaced_keys',
  steps: [inTransaction(`alter table secret_rotation add column replaced text[] not null default '{}'`)],
}
