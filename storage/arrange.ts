import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Database } from './database.ts'
import { named } from './records.ts'

/**
 * Work on what a company has set up (pipelines, tags, fields), one at a time for each company and in one transaction:
 * what `work` finds, such as a tag that a rule names, is still so when it writes. Operators do this rarely; the rows that
 * requests write are not locked, and records that refer to the company may be stored meanwhile.
 *
 * @returns what `work` does, or undefined when there is no such company
 * @throws {ConstraintViolation}, and whatever `work` throws; nothing is written then
 */
export function arrange<Result>(
  database: Database,
  company_id: string,
  work: (em: SqlEntityManager) => Promise<Result>,
): Promise<Result | undefined> {
  return named(() =>
    database.em().transactional(async (em) => {
      const locked = await em.execute('select 1 from company where _id = ? for no key update', [company_id])
      return locked.length > 0 ? work(em) : undefined
    }),
  )
}
