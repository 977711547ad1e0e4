/** Maximum open scheduled messages of a ticket. */
export const mostScheduledOfTicket = 50
/** Maximum open scheduled messages of a project. */
export const mostScheduledOfProject = 10_000
