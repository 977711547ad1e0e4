import { inTransaction, type Migration } from './step.ts'

/** Forces an index look-up for each key: whatever the statistics say, a subquery with a limit stays on the inner side. */
const LOOK_UP = 'set enable_seqscan = off set enable_bitmapscan = off'
/** Leaves the planner only scans by row place. */
const BY_PLACE = 'set enable_seqscan = off set enable_bitmapscan = off set enable_indexscan = off'

/**
 * Finds settled messages and timers by their keys, one by one. For a join the planner chose the order. After an
 * autovacuum that saw an empty table it scanned the whole index for each commit: with a snapshot open, over all rows
 * that died since. Only functions: nodes of the version before call the same ones.
 */
export const rowsByKey: Migration = {
  name: '0023_rows_by_key',
  steps: [
    inTransaction(
      `
      create function outbox_places(p_partitions int[], p_sources bigint[], p_numbers bigint[]) returns tid[]
      language plpgsql ${LOOK_UP} as $$
      begin
        return array(select row.place from unnest(p_partitions, p_sources, p_numbers) as x(partition, source, number)
          cross join lateral (select o.ctid as place from outbox o
            where o.partition = x.partition and o.source = x.source and o.number = x.number limit 1) row);
      end $$`,
      `
      create or replace function lane_settle(p_partitions int[], p_sources bigint[], p_numbers bigint[]) returns void
      language plpgsql ${BY_PLACE} as $$
      declare
        places tid[] := outbox_places(p_partitions, p_sources, p_numbers);
        settled int;
      begin
        delete from outbox where ctid = any (places);
        get diagnostics settled = row_count;
        if settled <> cardinality(p_partitions) then
          raise exception 'a message was settled before' using errcode = 'PL001';
        end if;
      end $$`,
      `
      create function timer_places(p_addresses text[], p_names text[]) returns tid[]
      language plpgsql ${LOOK_UP} as $$
      begin
        return array(select row.place from unnest(p_addresses, p_names) as x(address, name)
          cross join lateral (select t.ctid as place from timer t
            where t.address = x.address and t.name = x.name limit 1) row);
      end $$`,
      `
      create function lane_cancel(p_addresses text[], p_names text[]) returns void
      language plpgsql ${BY_PLACE} as $$
      declare places tid[] := timer_places(p_addresses, p_names);
      begin
        delete from timer where ctid = any (places);
      end $$`,
      `
      create or replace function lane_fired(p_addresses text[], p_names text[], p_due timestamptz[]) returns void
      language plpgsql ${BY_PLACE} as $$
      declare
        places tid[] := timer_places(p_addresses, p_names);
        fired int;
      begin
        delete from timer t where t.ctid = any (places) and exists (
          select from unnest(p_addresses, p_names, p_due) as x(address, name, due_at)
            where x.address = t.address and x.name = t.name and x.due_at = t.due_at);
        get diagnostics fired = row_count;
        if fired <> cardinality(p_addresses) then
          raise exception 'a timer fired before or was changed' using errcode = 'PL001';
        end if;
      end $$`,
    ),
  ],
}
