/** Maximum open scheduled messages of a ticket. */
export const maxScheduledOfTicket = 50
/** Maximum open scheduled messages of a project. */
export const maxScheduledOfProject = 10_000
