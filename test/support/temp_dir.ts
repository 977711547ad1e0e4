import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Owner } from './owner.ts'

/** An empty directory of the test's own, removed after it. */
export function tempDir(t: Owner): string {
  const path = mkdtempSync(join(tmpdir(), 'parley-test-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}
