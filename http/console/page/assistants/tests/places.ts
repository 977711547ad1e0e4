/** The places of test sets, below those of their assistant. No DOM. */

export type TestsPlace =
  | { page: 'list' }
  | { page: 'new' }
  | { page: 'set'; set_id: string }
  | { page: 'edit'; set_id: string }
  | { page: 'run'; set_id: string; run_id: string }

/** Undefined when the address is wrong. */
export function testsPlaceOf([set_id, part, run_id, ...more]: string[]): TestsPlace | undefined {
  if (more.length > 0) return undefined
  if (set_id === undefined) return { page: 'list' }
  if (set_id === 'new') return part === undefined ? { page: 'new' } : undefined
  if (part === undefined) return { page: 'set', set_id }
  if (part === 'edit') return run_id === undefined ? { page: 'edit', set_id } : undefined
  return part === 'runs' && run_id !== undefined ? { page: 'run', set_id, run_id } : undefined
}
