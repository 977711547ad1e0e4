/**
 * Owners of partitions and commits, noted by the database itself in the transactions that make them. So the audit
 * misses no moment.
 *
 * `audit_owner` has one row for each (partition, epoch), `audit_commit` one for each partition of each commit, numbered
 * by one sequence. Taking a partition and committing for it exclude each other by the partition's row lock, so the
 * numbers tell which came first.
 */
import { type Database, openDatabase } from '../../storage/mod.ts'

const TABLES = `
  create sequence audit_number;
  create table audit_owner (
    number bigint not null default nextval('audit_number'), partition int, epoch bigint, owner text not null,
    primary key (partition, epoch));
  create table audit_commit (
    number bigint not null default nextval('audit_number'), source bigint, commits bigint, node text, partition int,
    epoch bigint);
  create table audit_fault (what text not null);

  create function audit_partition() returns trigger language plpgsql as $$
  begin
    if new.epoch < old.epoch then
      insert into audit_fault values (format('partition %s: epoch %s after %s', new.id, new.epoch, old.epoch));
    elsif new.epoch > old.epoch then
      insert into audit_owner (partition, epoch, owner) values (new.id, new.epoch, new.owner);
      if old.owner <> new.owner and exists (select from node where id = old.owner) then
        insert into audit_fault values (format('partition %s: %s took it from %s, which has a lease', new.id, new.owner, old.owner));
      end if;
    elsif new.owner is not null and new.owner is distinct from old.owner then
      insert into audit_fault values (format('partition %s: %s became its owner within epoch %s', new.id, new.owner, new.epoch));
    end if;
    return new;
  end $$;
  create trigger audit after update on partition for each row execute function audit_partition();

  alter function lane_fence rename to lane_fence_itself;
  create function lane_fence(p_source bigint, p_commits bigint, p_partitions int[], p_epochs bigint[]) returns void
  language plpgsql as $$
  begin
    perform lane_fence_itself(p_source, p_commits, p_partitions, p_epochs);
    insert into audit_commit (source, commits, node, partition, epoch)
      select p_source, p_commits, l.node, x.id, x.epoch
      from unnest(p_partitions, p_epochs) as x(id, epoch), lane l where l.source = p_source;
  end $$`

export async function installAudit(database_url: string): Promise<void> {
  const database = await openDatabase({ url: database_url, pool_size: 1 })
  await database.execute(TABLES).finally(() => database.close())
}

export type Audited = {
  /** Broken rules, one sentence each. */
  faults: string[]
  /** The number of commits that were checked. */
  commits: number
}

/** Compares the commits since the last audit with the history of ownership. */
export async function audit(database: Database): Promise<Audited> {
  const [found] = (await database.execute<{ commits: number; faults: string[] }>(`
    with c as (delete from audit_commit returning *),
    fault as (
      select what from audit_fault
      union all
      select format('lane %s of node %s committed for partition %s in epoch %s, which belongs to %s',
          c.source, c.node, c.partition, c.epoch, coalesce(o.owner, 'nobody'))
        from c left join audit_owner o using (partition, epoch) where c.node is distinct from o.owner
      union all
      select format('lane %s committed for partition %s in epoch %s after %s had taken it',
          c.source, c.partition, c.epoch, o.owner)
        from c join audit_owner o on o.partition = c.partition and o.epoch > c.epoch and o.number < c.number
      union all
      select format('partition %s is in epoch %s, which nobody has begun', p.id, p.epoch)
        from partition p where p.epoch > 0 and not exists (
          select from audit_owner o where o.partition = p.id and o.epoch = p.epoch))
    select (select count(distinct (source, commits))::int from c) as commits,
      (select coalesce(json_agg(what), '[]') from fault) as faults`)) as [{ commits: number; faults: string[] }]
  return found
}
