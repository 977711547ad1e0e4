import { inTransaction, type Migration } from './step.ts'

/** Leaves the planner only scans by row place, whatever an operator has switched off. */
const BY_PLACE = `set enable_tidscan = on set enable_nestloop = on
  set enable_seqscan = off set enable_bitmapscan = off set enable_indexscan = off`

/**
 * PostgreSQL prunes a page when a scan reads it, but not when single places are fetched. So pages filled up, and each
 * new version of a state went to another page with an entry in the index. Now a scan of the pages comes before the
 * update.
 */
export const prunedPages: Migration = {
  name: '0026_pruned_pages',
  steps: [
    inTransaction(
      // For a single state, which costs half as much. The inner look-up is a scan, because it asks for a range of
      // places.
      `
      create function state_save(p_address text, p_state jsonb, p_place tid) returns tid language plpgsql ${BY_PLACE} as $$
      declare place tid;
      begin
        update actor_state set state = p_state where ctid = (select x.ctid from actor_state x
          where x.ctid >= p_place and x.ctid <= p_place and x.address = p_address) returning ctid into place;
        if place is null then
          return state_save(p_address, p_state);
        end if;
        return place;
      end $$`,
      // One place determines its page. Returns the new places of the rows, in the order of the states. `offset` keeps
      // the planner from turning the scan into a join.
      `
      create function states_save(p_rows jsonb, p_pages tid[]) returns text[] language plpgsql ${BY_PLACE} as $$
      declare
        saved int[];
        at text[];
        places text[] := '{}';
        given record;
      begin
        perform from unnest(p_pages) as page(place)
          cross join lateral (select from actor_state x where x.ctid >= page.place and x.ctid <= page.place offset 0) as row;
        with r as materialized (
          select * from rows from (jsonb_to_recordset(p_rows) as (a text, s jsonb, t tid)) with ordinality as r(a, s, t, n)
        ), moved as (
          update actor_state x set state = r.s from r where x.ctid = r.t and x.address = r.a returning r.n, x.ctid as place
        )
        select array_agg(n order by n), array_agg(place::text order by n) into saved, at from moved;
        if coalesce(cardinality(saved), 0) = jsonb_array_length(p_rows) then
          return at;
        end if;
        for i in 1 .. coalesce(cardinality(saved), 0) loop
          places[saved[i]] := at[i];
        end loop;
        for given in
          select * from rows from (jsonb_to_recordset(p_rows) as (a text, s jsonb, t tid)) with ordinality as r(a, s, t, n)
        loop
          if places[given.n] is null then
            places[given.n] := state_save(given.a, given.s)::text;
          end if;
        end loop;
        return places;
      end $$`,
      // For nodes of the version before.
      `
      create or replace function states_save(p_rows json) returns text[] language plpgsql as $$
      begin
        return states_save(p_rows::jsonb,
          array(select r.t from json_to_recordset(p_rows) as r(t tid) where r.t is not null));
      end $$`,
    ),
  ],
}
