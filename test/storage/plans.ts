/** The statements that a query sends, and their plans, in the order in which it sends them. */
import type { Database, Sql } from '../../storage/mod.ts'
import { textOf } from '../support/text_of.ts'

type Read = (database: Database) => Promise<unknown>

export async function statementsOf(database: Database, read: Read): Promise<string[]> {
  const asked: string[] = []
  await read({
    ...database,
    execute<Row>(statement: Sql | string, params?: readonly unknown[]) {
      asked.push(textOf(statement))
      return database.execute<Row>(statement as string, params)
    },
  })
  return asked
}

export async function plansOf(database: Database, read: Read): Promise<string[]> {
  const asked = await statementsOf(database, read)
  return Promise.all(
    asked.map(async (sql) => {
      const plan = await database.execute<Record<string, string>>(`explain (costs off) ${sql}`)
      return plan.map((row) => Object.values(row)[0]).join('\n')
    }),
  )
}
