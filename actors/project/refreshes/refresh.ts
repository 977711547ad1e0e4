import type { Feature, Receiver, Refresh, Refreshed } from '../turn/feature.ts'

/** From the operator API: a record this actor caches was changed. Each table that names it is asked, in their order. */
export function receiveRefreshes(
  tables: readonly Required<Feature>['refreshes'][],
): Receiver<{ what: Refreshed; id: string }> {
  const refreshesOf = (what: Refreshed): Refresh[] => tables.flatMap((table) => table[what] ?? [])
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
