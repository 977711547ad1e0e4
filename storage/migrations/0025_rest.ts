import { inTransaction, type Migration } from './step.ts'

/** The order that is asked for makes the key the index to look in. */
const LOOK_UP = 'set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off'
/** Nothing but the places of rows is left to the planner. */
const BY_PLACE = 'set enable_seqscan = off set enable_bitmapscan = off set enable_indexscan = off'

/** Actors come to rest whatever the rows that keep them awake are called: each time they wake, the row has another name. */
export const rest: Migration = {
  name: '0025_rest',
  steps: [
    inTransaction(
      `
      create function awake_places(p_addresses text[]) returns tid[] language plpgsql ${LOOK_UP} as $$
      begin
        return array(select row.place from unnest(p_addresses) as x(address)
          cross join lateral (select t.ctid as place from timer t
            where t.address = x.address and t.due_at is null order by t.address, t.name limit 1000) row);
      end $$`,
      `
      create function lane_rest(p_addresses text[]) returns void language plpgsql ${BY_PLACE} as $$
      declare places tid[] := awake_places(p_addresses);
      begin
        delete from timer where ctid = any (places);
      end $$`,
    ),
  ],
}
