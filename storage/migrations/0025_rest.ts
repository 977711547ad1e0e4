import { inTransaction, type Migration } from './step.ts'

/** The requested order makes the primary key the index to use. */
const LOOK_UP = 'set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off'
/** Leaves the planner only scans by row place. */
const BY_PLACE = 'set enable_seqscan = off set enable_bitmapscan = off set enable_indexscan = off'

/** Lets actors rest under any name of the row that keeps them awake: the name changes each time they wake. */
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
