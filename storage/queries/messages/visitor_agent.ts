import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import type { User } from '../../entities/access/user.ts'
import { UserPhoto } from '../../entities/access/user_photo.ts'
import { sql } from '../../sql/sql.ts'

/** The user to whom the contact's open ticket is assigned, as visitors may see them; undefined when there is none. */
export async function findVisitorAgent(
  database: Database,
  project_id: string,
  contact_id: string,
): Promise<Pick<User, 'full_name' | 'photo_sha256'> | undefined> {
  const [row] = await database.execute<
    Pick<User, 'full_name' | 'photo_sha256'>
  >(sql`select u.full_name, u.photo_sha256 from ticket t join "user" u on u._id = t.assigned_to
      where t.chat_user = ${contact_id} and t.project_id = ${project_id} and not t.is_closed and u.is_active`)
  return row
}

/** The photo of a user with this content. */
export async function findUserPhoto(database: Database, sha256: string): Promise<UserPhoto | undefined> {
  const [row] = await readRows(database, UserPhoto, { sha256 })
  return row
}
