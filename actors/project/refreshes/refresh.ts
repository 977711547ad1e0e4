import type { Receiver, Refresh } from '../turn/feature.ts'

/**
 * From the operator API: a cached record was changed. Runs the refreshes of all tables with that kind, in the order of
 * the tables.
 */
export function receiveRefreshes(tables: readonly Record<string, Refresh>[]): Receiver<{ what: string; id: string }> {
  const refreshesOf = (what: string): Refresh[] => tables.flatMap((table) => table[what] ?? [])
  return {
    forgets(reads, { what }) {
      for (const one of refreshesOf(what)) one.forgets?.(reads)
    },
    reads(reads, { what, id }) {
      for (const one of refreshesOf(what)) one.reads?.(reads, id)
    },
    receive(turn, { what, id }, context) {
      for (const one of refreshesOf(what)) one.refresh(turn, id, context)
    },
  }
}
