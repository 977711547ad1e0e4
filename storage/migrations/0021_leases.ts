import { inTransaction, type Migration } from './step.ts'

/** A node's lease, and reads of the outbox that skip rows settled long ago. */
export const leases: Migration = {
  name: '0021_leases',
  steps: [
    inTransaction(
      'create sequence node_stamp',
      // The stamp orders renewals without any clock. A node without a row here holds no partition.
      `
      create table node (
        id text not null,
        stamp bigint primary key,
        facts jsonb not null,
        renewed_at timestamptz not null
      ) with (fillfactor = 50)`,
      // Not unique, and only for rare look-ups: a node's id stays the same, so each look-up, and each uniqueness check,
      // scans all versions that a snapshot keeps. A renewal finds its row by its stamp.
      'create index node_by_id on node (id)',
      // Counts changes of the membership. A counter in a row would be locked until the commit, and a hundred nodes that
      // change at the same time would wait for a hundred syncs in a row. The price of the sequence: the number shows
      // before the change does.
      'create sequence node_change',
      `
      create function lease_oldest(p_floor bigint, p_limit int) returns json language sql as $$
        select json_agg(json_build_object('id', id, 'stamp', stamp)) from (
          select id, stamp from node where stamp >= p_floor order by stamp limit p_limit) as oldest
      $$`,
      `
      create function lease_join(p_node text, p_facts jsonb, p_limit int, out stamp bigint, out before bigint,
        out membership bigint, out oldest json, out now_ms float8)
      language plpgsql as $$
      begin
        -- A join whose answer was lost may still be under way.
        perform pg_advisory_xact_lock(hashtextextended(p_node, 21));
        delete from node n where n.id = p_node;
        stamp := nextval('node_stamp');
        insert into node (id, stamp, facts, renewed_at) values (p_node, stamp, p_facts, clock_timestamp());
        membership := nextval('node_change');
        oldest := lease_oldest(0, p_limit);
        now_ms := extract(epoch from clock_timestamp()) * 1000;
      end $$`,
      // Facts of a node change the membership only where other nodes act on them. The row is looked up by its id when
      // an answer was lost, or commits.
      `
      create function lease_renew(p_node text, p_facts jsonb, p_known bigint, p_floor bigint, p_limit int, out stamp bigint,
        out before bigint, out membership bigint, out oldest json, out now_ms float8)
      language plpgsql set enable_seqscan = off as $$
      declare
        owner text;
        former jsonb;
      begin
        select n.id, n.stamp, n.facts into owner, before, former from node n where n.stamp = p_known for update;
        if owner is distinct from p_node then
          select n.stamp, n.facts into before, former from node n where n.id = p_node for update;
        end if;
        -- A stamp below the known one stays as it is: whichever answer arrives says that commits were lost.
        if before >= p_known then
          update node n set stamp = nextval('node_stamp'), facts = p_facts, renewed_at = clock_timestamp()
            where n.stamp = before returning n.stamp into stamp;
          if former - 'backlog' <> p_facts - 'backlog' then
            perform nextval('node_change');
          end if;
        end if;
        select c.last_value into membership from node_change c;
        oldest := lease_oldest(p_floor, p_limit);
        now_ms := extract(epoch from clock_timestamp()) * 1000;
      end $$`,
      `
      create function lease_end(p_node text, p_stamp bigint) returns boolean language plpgsql
      set enable_seqscan = off as $$
      begin
        if p_stamp is null then
          delete from node n where n.id = p_node;
        else
          delete from node n where n.stamp = p_stamp;
        end if;
        if not found then
          return false;
        end if;
        perform nextval('node_change');
        return true;
      end $$`,
      // The plans are pinned to the primary key: the table swings between nothing and a backlog, and statistics of the
      // wrong moment would choose a scan. A floor lets a read skip the dead entries of rows settled long ago, which
      // stay in the index as long as any transaction holds a snapshot. A page ends at a number of rows or characters,
      // whichever comes first.
      `
      create function outbox_read(p_partition int, p_floor bigint, p_sources bigint[], p_numbers bigint[], p_limit int,
        p_characters bigint)
      returns table (source bigint, number bigint, address text, sender text, message json, size int)
      language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off as $$
      declare
        total bigint := 0;
      begin
        for source, number, address, sender, message, size in
          select o.source, o.number, o.address, o.sender, o.message, length(o.message::text) from outbox o
          where o.partition = p_partition and o.source >= p_floor
            and o.number >= coalesce((select k.number from unnest(p_sources, p_numbers) as k(source, number)
              where k.source = o.source), 0)
          order by o.source, o.number limit p_limit
        loop
          return next;
          total := total + size;
          exit when total >= p_characters;
        end loop;
      end $$`,
      // One step from each source with rows to the next: the cost depends on the number of such sources, not on the
      // number of lanes.
      `
      create function outbox_backlogs(p_partitions int[], p_floors bigint[])
      returns table (partition int, source bigint, first bigint, last bigint)
      language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
      set enable_mergejoin = off as $$
        with recursive found as (
          select f.partition, x.source, x.number from unnest(p_partitions, p_floors) as f(partition, floor)
          cross join lateral (select o.source, o.number from outbox o
            where o.partition = f.partition and o.source >= f.floor order by o.source, o.number limit 1) x
          union all
          select p.partition, x.source, x.number from found p
          cross join lateral (select o.source, o.number from outbox o
            where o.partition = p.partition and o.source > p.source order by o.source, o.number limit 1) x
        )
        select f.partition, f.source, f.number, (select o.number from outbox o
          where o.partition = f.partition and o.source = f.source order by o.number desc limit 1) from found f
      $$`,
    ),
  ],
}
