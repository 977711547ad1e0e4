/**
 * The advisory locks of PostgreSQL that processes of one installation share. Nodes of two releases must agree on a number,
 * so names are only added at the end.
 */
const NAMES = ['migration', 'day_tables', 'message_text', 'new_source', 'rotation', 'canary'] as const

const FIRST = 7_307_264_812

/** The number of a lock. No two names have the same one. */
export function advisoryLock(name: (typeof NAMES)[number]): number {
  return FIRST + NAMES.indexOf(name)
}
