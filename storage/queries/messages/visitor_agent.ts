import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import type { User } from '../../entities/access/user.ts'
import { UserPhoto } from '../../entities/access/user_photo.ts'
import { sql } from '../../sql/sql.ts'

/** Whoever answers the contact's open ticket, as visitors may see them: its assistant, or the user to whom it is assigned. */
export async function findVisitorAgent(
  database: Database,
  project_id: string,
  contact_id: string,
): Promise<Pick<User, 'full_name' | 'photo_sha256'> | undefined> {
  const [row] = await database.execute<Pick<User, 'full_name' | 'photo_sha256'>>(sql`
    select coalesce(a.name, u.full_name) as full_name, case when a._id is null then u.photo_sha256 end as photo_sha256
    from ticket t
      left join assistant_conversation c on c.ticket_id = t._id and t.handled_by = 'assistant'
      left join assistant a on a._id = c.assistant_id
      left join "user" u on u._id = t.assigned_to and u.is_active
    where t.chat_user = ${contact_id} and t.project_id = ${project_id} and not t.is_closed
      and (a._id is not null or u._id is not null)`)
  return row
}

/** The photo of a user with this content. */
export async function findUserPhoto(database: Database, sha256: string): Promise<UserPhoto | undefined> {
  const [row] = await readRows(database, UserPhoto, { sha256 })
  return row
}
