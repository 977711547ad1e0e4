/** One page of a list that runs from the newest to the oldest; `next_cursor` is the last id shown, or null at the end. */
export type Page<Row> = { data: Row[]; next_cursor: string | null }

export type PageOptions = {
  /** Rows wanted, at least 1. */
  limit: number
  /** The id after which to go on; it need not exist any more. */
  cursor?: string | undefined
}

/** Cuts `limit + 1` fetched rows to a page: the row too many is the proof that another page follows. */
export function toPage<Row>(rows: Row[], limit: number, idOf: (row: Row) => string): Page<Row> {
  const data = rows.slice(0, limit)
  return { data, next_cursor: rows.length > limit ? idOf(data.at(-1)!) : null }
}
