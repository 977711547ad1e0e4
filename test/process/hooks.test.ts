/** The programs that a run starts do not pay for what tap brings along. */
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { startUp } from '../run/start_up.ts'
import { root } from '../support/root.ts'

/** Prints the numbers of hooks on the init and on the destruction of each promise and handle. */
const PROGRAM = `
  await import('tap')
  const { async_hook_fields, constants } = process.binding('async_wrap')
  process.stdout.write([constants.kInit, constants.kDestroy].map((hook) => async_hook_fields[hook]).join())
  process.exit()`

t.test('a program of a run that loads tap follows no promises', async (t) => {
  const args = ['--no-deprecation', '--input-type=module', '-e', PROGRAM]
  // tap would write its report to the same output.
  const env = { ...process.env, ...startUp(), TAP: '1' }
  t.equal(execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' }).split('\n').at(0), '0,0')
})
