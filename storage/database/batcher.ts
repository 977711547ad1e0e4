/**
 * Combines reads that many actors make at the same moment. A thousand projects with an event each would otherwise make
 * a thousand queries of one row, each of which costs the server and this process more than the row.
 *
 * Two reads may be under way; further requests wait for the end of one of them, so batches grow with the load. A
 * request never joins a read that has begun, so no result is older than its request.
 */
import type { Database } from './database.ts'

const READS_AT_ONCE = 2
/** Larger batches make no read cheaper, and a statement needs a maximum length. */
const MAX_WANTS = 500

/** SQLSTATE classes of errors in the statement itself: data exceptions, program limits, syntax and access. */
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
      // One request that cannot be read must not fail the others. When the server itself fails, repeating does not
      // help.
      if (batch.length > 1 && isOfStatement(error)) await Promise.all(batch.map((one) => serve(database, [one])))
      else for (const { reject } of batch) reject(error)
    }
  }

  function begin(database: Database, batcher: Batcher<Want, Found>): void {
    batcher.begins = false
    while (batcher.waiting.length > 0 && batcher.under_way < READS_AT_ONCE) {
      batcher.under_way++
      void serve(database, batcher.waiting.splice(0, MAX_WANTS)).then(() => {
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
      // After all actors of this turn of the event loop have made their requests.
      queueMicrotask(() => begin(database, open))
    }
    return promise
  }
}
