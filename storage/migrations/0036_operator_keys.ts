import { inTransaction, type Migration } from './step.ts'

/**
 * Keys of the operator API beside the one of the settings. Rows of revoked keys stay, because audit entries name them.
 * Two keys in use have different names, so that a name in the audit means one key.
 */
export const operatorKeys: Migration = {
  name: '0036_operator_keys',
  steps: [
    inTransaction(
      `create table operator_key (
    _id text collate "C" primary key,
    name text not null,
    role text not null constraint operator_key_role_check check (role in ('read', 'support', 'admin')),
    prefix text not null,
    hash text not null,
    last_used_at timestamptz(3),
    revoked_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      `create unique index operator_key_hash on operator_key (hash)`,
      `create unique index operator_key_name on operator_key (lower(name)) where revoked_at is null`,
    ),
  ],
}
