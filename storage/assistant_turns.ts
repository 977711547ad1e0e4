import type { Database } from './database/database.ts'
import { AssistantTurn } from './entities/mod.ts'
import { sql } from './sql/sql.ts'

/**
 * Stores a turn that ended outside of a conversation. A turn whose assistant or person is gone by now is not stored, so that nothing
 * of an erased person comes back. Returns if it was.
 */
export async function storeTurn(database: Database, turn: AssistantTurn): Promise<boolean> {
  const { project_id, assistant_id, chat_user } = turn
  return database.em().transactional(async (em) => {
    const kept = await em.execute(
      sql`select from assistant where _id = ${assistant_id} and project_id = ${project_id} for key share`,
    )
    if (kept.length === 0) return false
    if (chat_user) {
      const people = await em.execute(
        sql`select from contact where _id = ${chat_user} and project_id = ${project_id} for key share`,
      )
      if (people.length === 0) return false
    }
    await em.insert(AssistantTurn, turn)
    return true
  })
}
