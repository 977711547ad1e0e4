/** Maximum tickets of a bulk action. */
export const mostBulkTickets = 200_000
