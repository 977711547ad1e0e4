import { buildIndex, inTransaction, type Migration } from './step.ts'

/** Leaves the planner only scans by row place, whatever an operator has switched off. */
const BY_PLACE = `set enable_tidscan = on set enable_nestloop = on
  set enable_seqscan = off set enable_bitmapscan = off set enable_indexscan = off`

const LOOK_UP = 'set enable_seqscan = off set enable_bitmapscan = off set enable_indexscan = on'

/**
 * The states of actors are saved at the place (ctid) where they were last seen. A look-up of the newest version by
 * address scans all versions that an open snapshot keeps, and so does the check of a unique index, with every version
 * that does not fit into its page. So the address has a plain index. The fence, under which one actor saves, ensures
 * that it has one row.
 */
export const statesByPlace: Migration = {
  name: '0024_states_by_place',
  steps: [
    inTransaction(
      // For states whose place is unknown or has changed: a restored or rewritten table. A row that is deleted while
      // the update waits for it may have been inserted again in the same transaction, which only the next statement
      // sees.
      `
      create function state_save(p_address text, p_state jsonb) returns tid language plpgsql ${LOOK_UP} as $$
      declare place tid;
      begin
        for look in 1 .. 2 loop
          update actor_state set state = p_state where address = p_address returning ctid into place;
          exit when place is not null;
        end loop;
        if place is null then
          insert into actor_state (address, state) values (p_address, p_state) returning ctid into place;
        end if;
        return place;
      end $$`,
      // Returns the new places of the rows, in the order of the states.
      `
      create function states_save(p_rows json) returns text[] language plpgsql ${BY_PLACE} as $$
      declare
        saved int[];
        at text[];
        places text[] := '{}';
        given record;
      begin
        with r as materialized (
          select * from rows from (json_to_recordset(p_rows) as (a text, s jsonb, t tid)) with ordinality as r(a, s, t, n)
        ), moved as (
          update actor_state x set state = r.s from r where x.ctid = r.t and x.address = r.a returning r.n, x.ctid as place
        )
        select array_agg(n order by n), array_agg(place::text order by n) into saved, at from moved;
        if coalesce(cardinality(saved), 0) = json_array_length(p_rows) then
          return at;
        end if;
        for i in 1 .. coalesce(cardinality(saved), 0) loop
          places[saved[i]] := at[i];
        end loop;
        for given in
          select * from rows from (json_to_recordset(p_rows) as (a text, s jsonb, t tid)) with ordinality as r(a, s, t, n)
        loop
          if places[given.n] is null then
            places[given.n] := state_save(given.a, given.s)::text;
          end if;
        end loop;
        return places;
      end $$`,
      // For nodes of the version before, which do not use places.
      `
      create or replace function lane_save(p_rows json) returns void language plpgsql as $$
      begin
        perform states_save(p_rows);
      end $$`,
    ),
    buildIndex('actor_state_by_address', 'actor_state (address)'),
    inTransaction(
      'alter table actor_state drop constraint actor_state_pkey',
      // Without a primary key, a publication of all tables would refuse every save.
      'alter table actor_state replica identity full',
    ),
  ],
}
