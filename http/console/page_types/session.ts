/** The session of the user who is signed in. */

export type Named = { _id: string; name: string }

export type Session = {
  user: { _id: string; full_name: string; email: string }
  company: Named
  /** Those that the user may look at. */
  projects: Named[]
  /** ISO 8601. */
  expires_at: string
}
