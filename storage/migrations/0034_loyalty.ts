import { inTransaction, type Migration } from './step.ts'

/**
 * Loyalty programs, their members, and the ledger of each member.
 *
 * - The project's actor writes all three tables.
 * - Triggers keep what must hold for every writer. Each entry follows the one before: its number is the next one, and
 *   its balance the former balance plus its amount. So the amounts of a ledger always add up to its last balance. This
 *   is checked at the end of the transaction, whatever the order of its statements.
 * - Entries are never changed. The only way out is erasure (storage/setup/crm/loyalty.ts): a transaction that sets
 *   `parley.ledger_erasure` to `on` for itself may delete entries, and blank their `ref` and `key`.
 */
export const loyalty: Migration = {
  name: '0034_loyalty',
  steps: [
    inTransaction(
      `create table loyalty_program (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null references project on delete cascade,
    name text not null,
    type text not null constraint loyalty_program_type_check check (type in ('points', 'stamps')),
    rules json not null,
    tiers json not null,
    is_active boolean not null default true,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      `create index loyalty_program_project on loyalty_program (project_id, _id desc)`,

      `create table loyalty_membership (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    program_id text collate "C" not null references loyalty_program,
    customer_id text collate "C" not null references customer,
    serial_number text collate "C" not null,
    status text not null constraint loyalty_membership_status_check check (status in ('active', 'suspended', 'revoked')),
    balance_points integer not null default 0
      constraint loyalty_membership_balance_points_check check (balance_points >= 0),
    stamps_count integer not null default 0
      constraint loyalty_membership_stamps_count_check check (stamps_count >= 0),
    tier text not null default '',
    entry_count integer not null default 0,
    enrolled_at timestamptz(3) not null,
    expired_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  ) with (fillfactor = 80)`,
      `create unique index loyalty_membership_customer on loyalty_membership (program_id, customer_id)`,
      `create unique index loyalty_membership_serial_number on loyalty_membership (project_id, serial_number)`,
      `create index loyalty_membership_project on loyalty_membership (project_id, _id desc)`,
      `create index loyalty_membership_program on loyalty_membership (program_id, _id desc)`,
      `create index loyalty_membership_of_customer on loyalty_membership (customer_id)`,
      // The memberships of a program that expire next.
      `create index loyalty_membership_expiry on loyalty_membership (program_id, enrolled_at, _id)
    where expired_at is null`,

      `create table loyalty_entry (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    membership_id text collate "C" not null references loyalty_membership,
    number integer not null,
    kind text not null constraint loyalty_entry_kind_check check (kind in ('earn', 'redeem', 'adjust', 'expire')),
    amount integer not null constraint loyalty_entry_amount_check check (amount <> 0),
    balance_after integer not null constraint loyalty_entry_balance_after_check check (balance_after >= 0),
    ref text,
    key text collate "C",
    created_at timestamptz(3) not null
  )`,
      `create unique index loyalty_entry_number on loyalty_entry (membership_id, number)`,
      `create unique index loyalty_entry_key on loyalty_entry (membership_id, key) where key is not null`,
      `create unique index loyalty_entry_expiry on loyalty_entry (membership_id) where kind = 'expire'`,

      `create function loyalty_entry_follows() returns trigger language plpgsql as $$
    begin
      if new.number = 1 then
        if new.balance_after = new.amount then return null; end if;
      elsif exists (
        select from loyalty_entry before
        where before.membership_id = new.membership_id and before.number = new.number - 1
          and before.balance_after = new.balance_after - new.amount
      ) then return null;
      end if;
      raise exception 'entry % of the ledger of % does not follow the one before', new.number, new.membership_id;
    end $$`,
      `create constraint trigger loyalty_entry_follows after insert on loyalty_entry
    deferrable initially deferred for each row execute function loyalty_entry_follows()`,

      `create function loyalty_entry_stays() returns trigger language plpgsql as $$
    begin
      if current_setting('parley.ledger_erasure', true) = 'on' then
        if tg_op <> 'UPDATE' then return old; end if;
        if (new._id, new.company_id, new.project_id, new.membership_id, new.number, new.kind, new.amount,
              new.balance_after, new.created_at)
            = (old._id, old.company_id, old.project_id, old.membership_id, old.number, old.kind, old.amount,
              old.balance_after, old.created_at)
          and (new.ref is null or new.ref = old.ref) and (new.key is null or new.key = old.key)
        then return new;
        end if;
      end if;
      raise exception 'entries of a ledger cannot be changed or deleted; correct them with another entry';
    end $$`,
      `create trigger loyalty_entry_stays before update or delete on loyalty_entry
    for each row execute function loyalty_entry_stays()`,
      `create trigger loyalty_ledger_stays before truncate on loyalty_entry
    for each statement execute function loyalty_entry_stays()`,
    ),
  ],
}
