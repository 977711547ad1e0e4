/** The path below which the inbox of a project is. */
export const INBOX = '/console/projects/:project_id/inbox'
