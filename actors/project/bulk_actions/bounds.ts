/** Maximum tickets of a bulk action. */
export const mostBulkTickets = 200_000
/** Maximum actions of a project that run at once. */
export const mostRunningBulkActions = 20
