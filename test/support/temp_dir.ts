import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Owner } from './owner.ts'

/** Makes an empty directory for the test and removes it after the test. */
export function tempDir(t: Owner): string {
  const path = mkdtempSync(join(tmpdir(), 'parley-test-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}
