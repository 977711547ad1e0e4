import type { Sql } from '../sql/sql.ts'
import type { Database } from './database.ts'

type Waiting = {
  statement: Sql
  resolve(rows: Record<string, unknown>[]): void
  reject(error: unknown): void
}

/**
 * A handle whose `execute` calls of one moment go to the server as one query, in their order. For reads that do not depend on each
 * other: a message to the server and its answer cost more than most of them.
 */
export function together(database: Database): Database {
  let waiting: Waiting[] = []
  const send = async () => {
    const batch = waiting
    waiting = []
    try {
      const results = await database.readAll(batch.map(({ statement }) => statement))
      for (const [at, { resolve }] of batch.entries()) resolve(results[at]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const execute = (statement: Sql) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ statement, resolve, reject }) === 1) queueMicrotask(send)
    })
  return Object.create(database, { execute: { value: execute } })
}
