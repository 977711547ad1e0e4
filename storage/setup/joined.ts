import type { Database } from '../database/database.ts'
import type { Sql } from '../sql/sql.ts'
import { named } from './records.ts'

/**
 * Runs `work` in one transaction. The named transactions that get the handle `joined` are parts of it: they are
 * committed together with the rest, or not at all.
 *
 * @throws {ConstraintViolation}, and any error of `work`; nothing is written then
 */
export function joined<Result>(database: Database, work: (joined: Database) => Promise<Result>): Promise<Result> {
  return named(() =>
    database.em().transactional((em) => {
      const own: PropertyDescriptorMap = {
        em: { value: () => em.fork({ keepTransactionContext: true, disableContextResolution: true }) },
        execute: {
          value: (...call: [Sql]) => em.execute(...call),
        },
      }
      return work(Object.create(database, own))
    }),
  )
}
