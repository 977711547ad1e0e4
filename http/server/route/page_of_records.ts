/** The page with its rows as the API shows them. */
export function pageOfRecords<Found extends { data: unknown[] }, Record>(
  page: Found,
  show: (row: Found['data'][number]) => Record,
): Omit<Found, 'data'> & { data: Record[] } {
  return { ...page, data: page.data.map((row) => show(row)) }
}
