import pg from 'pg'
import type { Owner } from './owner.ts'

/**
 * Lets everybody who writes to a table wait, after those who are at it, until the result is called. Readers go on. So
 * work that ends with such a write is under way for as long as a test needs it to be.
 */
export async function holdTable(t: Owner, url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url, application_name: 'holder' })
  client.on('error', () => {})
  let ended: Promise<void> | undefined
  const release = () => {
    ended ??= client.end()
    return ended
  }
  t.teardown(release)
  await client.connect()
  await client.query(`begin; lock table ${table} in exclusive mode`)
  return release
}
