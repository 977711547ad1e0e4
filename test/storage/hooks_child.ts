/**
 * A process of its own, because the test runner itself turns on hooks. It reports whether hooks on every promise are
 * on.
 */
import { executionAsyncId } from 'node:async_hooks'
import { Company, openDatabase } from '../../storage/mod.ts'

const database = await openDatabase({ url: process.argv[2]! })
const report: Record<string, boolean | number> = {}
const company = (_id: string) => ({ _id, name: 'Acme', created_at: new Date(), updated_at: new Date() })

/** Returns true when every promise has an id. */
async function areHooksOn(): Promise<boolean> {
  await null
  const id = executionAsyncId()
  await null
  return executionAsyncId() !== id
}

report.at_first = await areHooksOn()
const begun = Promise.withResolvers<void>()
const others = Promise.withResolvers<void>()
const long = database.em().transactional(async (em) => {
  em.create(Company, company('a'.repeat(24)))
  begun.resolve()
  await others.promise
  report.while_one_goes_on = await areHooksOn()
  await em.flush()
})
await begun.promise
const other = database.em()
other.create(Company, company('b'.repeat(24)))
await other.flush()
const failing = database.em().transactional(async () => {
  throw new Error('no')
})
await failing.catch(() => {})
others.resolve()
await long
report.after_transactions = await areHooksOn()
await database.em().flush()
report.after_a_flush = await areHooksOn()
report.companies = await database.em().count(Company, {})
await database.close()
console.log(JSON.stringify(report))
