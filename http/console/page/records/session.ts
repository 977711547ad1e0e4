/** The session of the user who is signed in. */

export type Named = { _id: string; name: string }

export type Session = {
  /** `permissions` are those that the page asks for: the server checks them with each request. */
  user: { _id: string; full_name: string; email: string; permissions: string[] }
  company: Named
  /** The projects that the user may see. */
  projects: Named[]
  /** ISO 8601. */
  expires_at: string
}
