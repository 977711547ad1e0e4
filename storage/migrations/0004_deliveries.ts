import { inTransaction, type Migration } from './step.ts'

/**
 * Events, deliveries and attempts are kept in daily tables, so that dropping a table deletes a day.
 *
 * Their ids begin with the second of their creation, and compare as text. So the id itself is the partition key, a
 * look-up by id reads one day, and no second column has to be part of every key.
 */
const days = `
  create function day_table(parent text, day date) returns text language sql immutable as
    $$ select parent || '_' || to_char(day, 'YYYYMMDD') $$;

  create function day_begin(prefix text, day date) returns text language sql immutable as
    $$ select prefix || '_' || lpad(to_hex(extract(epoch from day)::bigint), 8, '0') $$;

  -- Makes the tables of these days where they are missing. Attached, not created in place: that would lock out writers.
  create function day_tables_add(first date, last date) returns void language plpgsql as $$
  declare
    parent text; prefix text; day date; name text;
  begin
    for parent, prefix in values ('event', 'evt'), ('delivery', 'dlv'), ('attempt', 'dlv') loop
      for day in select generate_series(first, last, interval '1 day')::date loop
        name := day_table(parent, day);
        continue when to_regclass(name) is not null;
        execute format('create table %I (like %I including defaults including constraints)', name, parent);
        if parent <> 'event' then
          execute format('alter table %I set (fillfactor = 85)', name);
        end if;
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
          parent, name, day_begin(prefix, day), day_begin(prefix, day + 1));
      end loop;
    end loop;
  end $$;

  -- Drops the tables of the days before this one, and says which.
  create function day_tables_drop(before date) returns setof text language plpgsql as $$
  declare
    child text;
  begin
    for child in
      select c.relname from pg_inherits i
        join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relname in ('event', 'delivery', 'attempt') and p.relnamespace = current_schema()::regnamespace
          and to_date(right(c.relname, 8), 'YYYYMMDD') < before
        order by c.relname
    loop
      execute format('drop table %I', child);
      return next child;
    end loop;
  end $$`

const tables = [
  'alter table event rename to event_before',
  'alter table delivery rename to delivery_before',
  'alter index event_pkey rename to event_before_pkey',
  'alter index delivery_pkey rename to delivery_before_pkey',
  'drop index delivery_subscription, delivery_due, delivery_unsuccessful',

  `create table event (
    id text collate "C" primary key,
    project_id text collate "C" not null,
    type text not null,
    data json not null,
    subscription_ids text[] not null,
    created_at timestamptz(3) not null default now()
  ) partition by range (id)`,

  `create table delivery (
    id text collate "C" primary key,
    subscription_id text collate "C" not null,
    project_id text collate "C" not null,
    event_id text collate "C" not null,
    event_type text not null,
    ordering_key text collate "C",
    status text not null default 'pending'
      constraint delivery_status_known check (status in ('pending', 'success', 'failed', 'dead')),
    status_code integer,
    attempts integer not null default 0,
    retried_from integer not null default 0,
    duration_ms integer,
    last_error text,
    next_attempt_at timestamptz(3),
    delivered_at timestamptz(3),
    is_test boolean not null default false,
    created_at timestamptz(3) not null default now()
  ) partition by range (id)`,
  'create index delivery_subscription on delivery (subscription_id, id desc)',
  // The queue of an unordered subscription, and of an ordered one: as a whole, and by key.
  `create index delivery_due on delivery (subscription_id, next_attempt_at)
    where status in ('pending', 'failed') and next_attempt_at is not null`,
  `create index delivery_ordered on delivery (subscription_id, ordering_key, id)
    where status in ('pending', 'failed') and next_attempt_at is not null and ordering_key is not null`,
  // Serves the list by status. Successes, the bulk of the rows, are listed without a filter and need no entry.
  `create index delivery_unsuccessful on delivery (subscription_id, status, id desc) where status <> 'success'`,

  `create table attempt (
    delivery_id text collate "C" not null,
    attempt integer not null,
    started_at timestamptz(3) not null,
    status_code integer,
    duration_ms integer not null,
    error text,
    headers_sent json not null,
    excerpt text,
    primary key (delivery_id, attempt)
  ) partition by range (delivery_id)`,

  `select day_tables_add(least(current_date - 1, coalesce(
      (select min(to_timestamp(('x' || lpad(substr(id, 5, 8), 16, '0'))::bit(64)::bigint))::date from event_before),
      current_date)), current_date + 7)`,
  `insert into event (id, project_id, type, data, subscription_ids, created_at)
    select id, project_id, type, data,
      (select coalesce(array_agg(subscription_id), '{}') from delivery_before d where d.event_id = e.id), created_at
    from event_before e`,
  `insert into delivery (id, subscription_id, project_id, event_id, event_type, status, status_code, attempts,
      duration_ms, last_error, next_attempt_at, delivered_at, is_test, created_at)
    select id, subscription_id, project_id, event_id, event_type, status, status_code, attempts,
      duration_ms, last_error, next_attempt_at, delivered_at, is_test, created_at from delivery_before`,
  'drop table event_before, delivery_before',

  `alter table subscription
    add column user_id text collate "C",
    add column ordering text not null default 'none'
      constraint subscription_ordering_known check (ordering in ('none', 'subscription', 'contact')),
    add column concurrency integer not null default 8,
    add column recovery jsonb`,
]

export const deliveries: Migration = {
  name: '0004_deliveries',
  steps: [inTransaction(days, ...tables)],
}
