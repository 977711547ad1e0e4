import { appendFileSync } from 'node:fs'
import type { Test } from 'tap'

/** Prints a figure in the test's own output and, in a run of all combinations, below their table. */
export function report(t: Test, figure: string): void {
  t.comment(figure)
  const file = process.env.PARLEY_TEST_FIGURES
  if (file) appendFileSync(file, `${figure}\n`)
}
