import { inTransaction, type Migration } from './step.ts'

/** Tables of the actor runtime: ownership, lanes, outbox, timers, dead letters, generic actor state. */
export const runtime: Migration = {
  name: '0001_runtime',
  steps: [
    inTransaction(
      `
      create table cluster (
        id int primary key default 1 check (id = 1),
        partitions int not null check (partitions between 1 and 4096),
        created_at timestamptz not null default now()
      )`,
      `
      create table partition (
        id int primary key,
        owner text,
        epoch bigint not null default 0,
        taken_at timestamptz
      ) with (fillfactor = 50)`,
      // One row per lane of a running node. `commits` counts its transactions, so that a lane whose connection broke
      // during a commit can learn whether that commit happened.
      `
      create table lane (
        source bigint generated always as identity primary key,
        node text not null,
        commits bigint not null default 0,
        started_at timestamptz not null default now()
      ) with (fillfactor = 50)`,
      `
      create table outbox (
        partition int not null,
        source bigint not null,
        number bigint not null,
        address text not null,
        sender text,
        message json not null,
        created_at timestamptz not null default now(),
        primary key (partition, source, number)
      ) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0)`,
      `
      create table timer (
        partition int not null,
        address text not null,
        name text not null,
        due_at timestamptz,
        message json not null,
        primary key (address, name)
      )`,
      'create index timer_due on timer (partition, due_at)',
      `
      create table dead_letter (
        id bigint generated always as identity primary key,
        partition int not null,
        address text not null,
        sender text,
        message json not null,
        error text not null,
        parked_at timestamptz not null default now()
      )`,
      `
      create table actor_state (
        address text primary key,
        state jsonb not null
      ) with (fillfactor = 70)`,
      // The fence: raises PL002 when any of the partitions has another epoch than the lane believes. Share locks are
      // taken in the order of the ids, as a taker does, so that the two cannot deadlock.
      `
      create function lane_fence(p_source bigint, p_commits bigint, p_partitions int[], p_epochs bigint[]) returns void
      language plpgsql as $$
      declare held int;
      begin
        if cardinality(p_partitions) > 0 then
          select count(*) into held from (
            select 1 from partition t join unnest(p_partitions, p_epochs) as x(id, epoch)
              on t.id = x.id and t.epoch = x.epoch
            order by t.id for share of t) as locked;
          if held <> cardinality(p_partitions) then
            raise exception 'a partition has another owner' using errcode = 'PL002';
          end if;
        end if;
        update lane set commits = p_commits where source = p_source and commits = p_commits - 1;
        if not found then
          raise exception 'this lane was retired or ran ahead' using errcode = 'PL003';
        end if;
      end $$`,
      // A settled message is an applied one: its row is deleted in the transaction of the turn that applied it. PL001
      // means that one of them was settled before, that is, the message came twice. The plan is pinned to index
      // look-ups: the table's size swings between nothing and a backlog, and statistics of the wrong moment would
      // choose a scan.
      `
      create function lane_settle(p_partitions int[], p_sources bigint[], p_numbers bigint[]) returns void
      language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
      declare settled int;
      begin
        delete from outbox o using unnest(p_partitions, p_sources, p_numbers) as x(partition, source, number)
          where o.partition = x.partition and o.source = x.source and o.number = x.number;
        get diagnostics settled = row_count;
        if settled <> cardinality(p_partitions) then
          raise exception 'a message was settled before' using errcode = 'PL001';
        end if;
      end $$`,
      // Functions rather than plain statements, so that a session plans them once and not with every commit.
      `
      create function lane_send(p_source bigint, p_rows json) returns void
      language plpgsql as $$
      begin
        insert into outbox (partition, source, number, address, sender, message)
          select r.p, p_source, r.n, r.a, r.f, r.m from json_to_recordset(p_rows) as r(p int, n bigint, a text, f text, m json);
      end $$`,
      `
      create function lane_save(p_rows json) returns void
      language plpgsql as $$
      begin
        insert into actor_state (address, state)
          select r.a, r.s from json_to_recordset(p_rows) as r(a text, s jsonb)
          on conflict (address) do update set state = excluded.state;
      end $$`,
      `
      create function lane_fired(p_addresses text[], p_names text[], p_due timestamptz[]) returns void
      language plpgsql as $$
      declare fired int;
      begin
        delete from timer t using unnest(p_addresses, p_names, p_due) as x(address, name, due_at)
          where t.address = x.address and t.name = x.name and t.due_at = x.due_at;
        get diagnostics fired = row_count;
        if fired <> cardinality(p_addresses) then
          raise exception 'a timer fired before or was changed' using errcode = 'PL001';
        end if;
      end $$`,
    ),
  ],
}
