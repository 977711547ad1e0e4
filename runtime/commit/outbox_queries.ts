/** Queries of the outbox in PostgreSQL: rows in the order of their numbers, and counts. */
import { type Database, sql } from '../../storage/mod.ts'
import type { OutboxRow } from '../actor/outbox_row.ts'
import type { Backlog, Floor, Store } from './store.ts'

type Questions = Pick<Store, 'readOutbox' | 'readOutboxOf' | 'backlogs' | 'countOutbox'>

export class OutboxQueries implements Questions {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async readOutbox(
    partition: number,
    floor: number,
    known: readonly Floor[],
    limit: number,
    characters: number,
  ): Promise<OutboxRow[]> {
    const sources = known.map(({ source }) => source)
    const numbers = known.map(({ number }) => number)
    const rows = await this.#database.execute(
      sql`select source::text, number::text, address, sender, message, size
       from outbox_read(${partition}, ${floor}, ${sql.numbers(sources)}, ${sql.numbers(numbers)}, ${limit}, ${characters})`,
    )
    return rows.map(outboxRowOf)
  }

  /** The sort order makes the planner use the primary key, so the scan ends with the page. */
  async readOutboxOf(
    address: string,
    partition: number,
    below: readonly Floor[],
    limit: number,
    characters: number,
  ): Promise<OutboxRow[]> {
    if (below.length === 0) return []
    const sources = below.map(({ source }) => source)
    const numbers = below.map(({ number }) => number)
    const rows = await this.#database.execute(
      sql`select source::text, number::text, address, sender, message, size
       from (select first.*, sum(size) over (order by first.source, first.number) - size as before
         from (select o.*, length(o.message::text) as size from outbox o
           where o.partition = ${partition} and o.source >= ${Math.min(...sources)} and o.address = ${address}
             and o.number < (select k.number from unnest(${sql.numbers(sources)}::bigint[], ${sql.numbers(numbers)}::bigint[]) as k(source, number)
               where k.source = o.source)
           order by o.source, o.number limit ${limit}) as first) as page
       where before < ${characters} order by page.source, page.number`,
    )
    return rows.map(outboxRowOf)
  }

  async backlogs(
    floors: readonly { partition: number; source: number }[],
  ): Promise<{ found: Backlog[]; lowest: number }> {
    const partitions = floors.map(({ partition }) => partition)
    const sources = floors.map(({ source }) => source)
    const rows = await this.#database.execute(
      sql`select partition, source::text, first::text, last::text from outbox_backlogs(${sql.numbers(partitions)}, ${sql.numbers(sources)})
       union all select null, (select coalesce(min(source), 0)::text from lane), null, null`,
    )
    const lowest = rows.find((row) => row.partition === null)
    const found = rows.filter((row) => row.partition !== null)
    return {
      lowest: Number(lowest!.source),
      found: found.map((row) => ({
        partition: row.partition as number,
        source: Number(row.source),
        first: Number(row.first),
        last: Number(row.last),
      })),
    }
  }

  /** The sort order makes the planner use the primary key, so the scan ends with the limit. */
  async countOutbox(
    floors: readonly { partition: number; source: number }[],
    limit: number,
  ): Promise<Map<number, Map<string, number>>> {
    const partitions = floors.map(({ partition }) => partition)
    const counts = new Map(partitions.map((partition) => [partition, new Map<string, number>()]))
    if (floors.length === 0) return counts
    const sources = floors.map(({ source }) => source)
    const rows = await this.#database.execute(
      sql`select f.partition, o.address, count(*)::int as rows
       from unnest(${sql.numbers(partitions)}::int[], ${sql.numbers(sources)}::bigint[]) as f(partition, floor) cross join lateral (
         select address from outbox where partition = f.partition and source >= f.floor
         order by source, number limit ${limit}) as o
       group by f.partition, o.address`,
    )
    for (const row of rows) counts.get(row.partition as number)!.set(row.address as string, row.rows as number)
    return counts
  }
}

function outboxRowOf(row: Record<string, unknown>): OutboxRow {
  return {
    source: Number(row.source),
    number: Number(row.number),
    address: row.address as string,
    sender: row.sender as string | null,
    message: row.message as OutboxRow['message'],
    size: row.size as number,
  }
}
