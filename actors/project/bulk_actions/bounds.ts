/** Maximum tickets of a bulk action. */
export const maxBulkTickets = 200_000
/** Maximum actions of a project that run at once. */
export const maxRunningBulkActions = 20
