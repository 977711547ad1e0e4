/**
 * Reads that many actors make at the same moment, as one. A thousand projects with an event each would otherwise make a
 * thousand queries of one row, each of which costs the server and this process more than the row.
 *
 * What is wanted while two reads are under way waits for the end of one of them: the busier it gets, the more is read at once.
 * A want is never added to a read that has begun, so nobody gets what is older than the moment of asking.
 */
import type { Database } from './database.ts'

const READS_AT_ONCE = 2
/** More make no read cheaper, and a statement has to end somewhere. */
const MOST_WANTS = 500

/** SQLSTATE classes of what a statement says: data exceptions, limits of a program, errors of syntax and access. */
const OF_STATEMENT = /^(22|42|54)[0-9A-Z]{3}$/

function isOfStatement(error: unknown): boolean {
  return OF_STATEMENT.test(String((error as { code?: unknown } | null)?.code))
}

type Waiting<Want, Found> = { want: Want; resolve(found: Found): void; reject(error: unknown): void }
type Batcher<Want, Found> = { waiting: Waiting<Want, Found>[]; under_way: number; begins: boolean }

/** `read` answers all wants, in their order. */
export function batched<Want, Found>(
  read: (database: Database, wants: Want[]) => Promise<Found[]>,
): (database: Database, want: Want) => Promise<Found> {
  const batchers = new WeakMap<Database, Batcher<Want, Found>>()

  async function serve(database: Database, batch: Waiting<Want, Found>[]): Promise<void> {
    try {
      const found = await read(
        database,
        batch.map(({ want }) => want),
      )
      for (const [at, { resolve }] of batch.entries()) resolve(found[at]!)
    } catch (error) {
      // One want that cannot be read must not keep the others from it. When the server is what is wrong, no other try helps.
      if (batch.length > 1 && isOfStatement(error)) await Promise.all(batch.map((one) => serve(database, [one])))
      else for (const { reject } of batch) reject(error)
    }
  }

  function begin(database: Database, batcher: Batcher<Want, Found>): void {
    batcher.begins = false
    while (batcher.waiting.length > 0 && batcher.under_way < READS_AT_ONCE) {
      batcher.under_way++
      void serve(database, batcher.waiting.splice(0, MOST_WANTS)).then(() => {
        batcher.under_way--
        begin(database, batcher)
      })
    }
  }

  return (database, want) => {
    let batcher = batchers.get(database)
    if (!batcher) {
      batcher = { waiting: [], under_way: 0, begins: false }
      batchers.set(database, batcher)
    }
    const { promise, resolve, reject } = Promise.withResolvers<Found>()
    batcher.waiting.push({ want, resolve, reject })
    if (!batcher.begins) {
      batcher.begins = true
      const open = batcher
      // After all actors whose turn it is now have said what they want.
      queueMicrotask(() => begin(database, open))
    }
    return promise
  }
}
