import type { Receiver, Refresh } from '../turn/feature.ts'

/** From the operator API: a record this actor caches was changed. Each table that names it is asked, in their order. */
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
