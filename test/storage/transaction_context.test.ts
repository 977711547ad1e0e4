import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { testDatabase } from '../support/mod.ts'

t.test('hooks on every promise of the process are on during transactions alone', async (t) => {
  const { url } = await testDatabase(t)
  const file = fileURLToPath(new URL('./hooks_child.ts', import.meta.url))
  const env = { PATH: process.env.PATH }
  const { stdout } = await promisify(execFile)(process.execPath, [file, url], { env })
  t.strictSame(JSON.parse(stdout), {
    at_first: false,
    while_one_goes_on: true,
    after_transactions: false,
    after_a_flush: false,
    companies: 2,
  })
})
