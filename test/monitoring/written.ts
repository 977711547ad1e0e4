/** Compares generated files with what they should be. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

type Judge = { equal(found: string, wanted: string, message: string): unknown }

/** tap sets TAP_SNAPSHOT to write the expected result instead of comparing it. */
export function checkWritten(t: Judge, file: string, right: string, test: string): void {
  const path = join(root, file)
  if (process.env.TAP_SNAPSHOT === '1') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, right)
    return
  }
  t.equal(readFileSync(path, 'utf8'), right, `run \`TAP_SNAPSHOT=1 npm test -- ${test}\` to write ${file} again`)
}
