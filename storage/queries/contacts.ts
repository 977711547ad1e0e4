import type { Database } from '../database.ts'
import { Contact } from '../entities/contact.ts'
import { readRows } from '../read_rows.ts'

/** A contact with the windows in which it may be written to freely. */
export type ContactRecord = ReturnType<typeof toContactRecord>

/** The contact with this id, or undefined when the project has none. */
export async function findContact(
  database: Database,
  project_id: string,
  _id: string,
  now: Date,
): Promise<ContactRecord | undefined> {
  const [row] = await readRows(database, Contact, { _id, project_id })
  return row && toContactRecord(row, now)
}

function toContactRecord({ company_id, project_id, windows, ...contact }: Contact, now: Date) {
  const open = Object.entries(windows).map(([channel_id, expires_at]) => ({
    channel_id,
    expires_at,
    is_open: new Date(expires_at) > now,
  }))
  return { ...contact, windows: open }
}
