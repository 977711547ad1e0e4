/** The plans of the statements that a query sends. */
import type { Database } from '../../storage/mod.ts'

/** In the order in which `read` sends them. */
export async function plansOf(database: Database, read: (database: Database) => Promise<unknown>): Promise<string[]> {
  const asked: string[] = []
  await read({
    ...database,
    execute(sql, params) {
      asked.push(sql)
      return database.execute(sql, params)
    },
  })
  return Promise.all(
    asked.map(async (sql) => {
      const plan = await database.execute<Record<string, string>>(`explain (costs off) ${sql}`)
      return plan.map((row) => Object.values(row)[0]).join('\n')
    }),
  )
}
