/**
 * Who owned what, and who wrote: kept by the database itself, in the transactions that do it. So there is no moment
 * that the audit did not see.
 *
 * `audit_owner` has one row for each (partition, epoch), `audit_commit` one for each partition of each commit, numbered
 * by one sequence. Taking a partition and committing for it exclude each other by the partition's row lock, so the
 * numbers say which came first.
 */
import { type Database, openDatabase } from '../../storage/mod.ts'

const TABLES = `
  create sequence audit_number;
  create table audit_owner (
    number bigint not null default nextval('audit_number'), partition int, epoch bigint, owner text not null,
    primary key (partition, epoch));
  create table audit_commit (
    number bigint not null default nextval('audit_number'), source bigint, commits bigint, partition int, epoch bigint);
  create table audit_fault (what text not null);

  create function audit_partition() returns trigger language plpgsql as $$
  begin
    if new.epoch < old.epoch then
      insert into audit_fault values (format('partition %s: epoch %s after %s', new.id, new.epoch, old.epoch));
    elsif new.epoch > old.epoch then
      insert into audit_owner (partition, epoch, owner) values (new.id, new.epoch, new.owner);
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
    insert into audit_commit (source, commits, partition, epoch)
      select p_source, p_commits, x.id, x.epoch from unnest(p_partitions, p_epochs) as x(id, epoch);
  end $$`

export async function installAudit(database_url: string): Promise<void> {
  const database = await openDatabase({ url: database_url, pool_size: 1 })
  await database.execute(TABLES).finally(() => database.close())
}

export type Audited = {
  /** What must not be, one sentence each. */
  faults: string[]
  /** Commits that were looked at. */
  commits: number
}

/** Holds the commits since the last audit against the history of ownership. */
export async function audit(database: Database): Promise<Audited> {
  const [found] = (await database.execute<{ commits: number; faults: string[] }>(`
    with c as (delete from audit_commit returning *),
    fault as (
      select what from audit_fault
      union all
      select format('lane %s of node %s committed for partition %s in epoch %s, which belongs to %s',
          c.source, coalesce(l.node, 'nobody'), c.partition, c.epoch, coalesce(o.owner, 'nobody'))
        from c left join lane l using (source) left join audit_owner o using (partition, epoch)
        where l.node is distinct from o.owner or o.owner is null
      union all
      select format('lane %s committed for partition %s in epoch %s after %s had taken it',
          c.source, c.partition, c.epoch, o.owner)
        from c join audit_owner o on o.partition = c.partition and o.epoch > c.epoch and o.number < c.number
      union all
      select format('partition %s is in epoch %s, and its history has %s', p.id, p.epoch, count(o.epoch))
        from partition p left join audit_owner o on o.partition = p.id group by p.id, p.epoch
        having count(o.epoch) <> p.epoch)
    select (select count(distinct (source, commits))::int from c) as commits,
      (select coalesce(json_agg(what), '[]') from fault) as faults`)) as [{ commits: number; faults: string[] }]
  return found
}
