/**
 * One page of a list in order from newest to oldest; `next_cursor` is the last id shown, or null at the end. `has_more`: it
 * is not the end.
 */
export type Page<Row> = { data: Row[]; next_cursor: string | null; has_more: boolean }

export type PageOptions = {
  /** Requested rows, at least 1. */
  limit: number
  /** The id after which the page begins; it need not exist any more. */
  cursor?: string | undefined
}

/** The requested part of a list with random access: `offset` records are left out, or those up to `cursor`. */
export type Window = PageOptions & { offset: number }

/** A page of such a list, and the records of all pages. */
export type CountedPage<Row> = Page<Row> & { total: number }

/**
 * Cuts `limit + 1` fetched rows to a page: the extra row proves that another page follows. `is_cut`: more rows follow
 * these, however few they are.
 */
export function toPage<Row>(rows: Row[], limit: number, idOf: (row: Row) => string, is_cut = false): Page<Row> {
  const data = rows.slice(0, limit)
  return pageUntil(data, is_cut || rows.length > limit ? idOf(data.at(-1)!) : null)
}

/** A page behind which the list goes on at `next_cursor`. */
export function pageUntil<Row>(data: Row[], next_cursor: string | null): Page<Row> {
  return { data, next_cursor, has_more: next_cursor !== null }
}
