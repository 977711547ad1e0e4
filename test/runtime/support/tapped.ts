import { type Database, plain, type Sql, type Statement } from '../../../storage/mod.ts'
import { textOf } from '../../support/text_of.ts'

/** Returns the database with a function in the way of each statement. */
export function tapped(
  database: Database,
  tap: (sql: string, run: () => Promise<Record<string, unknown>[]>) => Promise<Record<string, unknown>[]>,
): Database {
  const execute = (statement: Sql | string, params?: readonly unknown[]) =>
    tap(textOf(statement), () => database.execute(statement as string, params))
  const commit = async (statements: readonly Statement[]) => {
    const sql = statements.map(plain).join(';\n')
    return tap(sql, () => database.commit(statements))
  }
  return { ...database, execute: execute as Database['execute'], commit }
}

export const isCommit = (sql: string) => sql.startsWith('select lane_fence')

/** Returns the error that the driver raises when the connection breaks. */
export function cutOff(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
}
