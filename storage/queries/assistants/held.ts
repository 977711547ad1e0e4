import type { Database } from '../../database/database.ts'
import type { Project } from '../../entities/access/project.ts'
import type { Assistant } from '../../entities/assistants/assistant.ts'
import { sql } from '../../sql/sql.ts'

/** The settings beside the prompt that a turn of an assistant needs. */
export type AssistantSettings = {
  office_hours: Project['office_hours']
  company_id: string
  model: string | null
  budget: Assistant['budget']
  project_budget: Project['assistant_budget']
}

export type HeldConversation = AssistantSettings & {
  is_held: boolean
  segment: number
  version: number
  /** The person's address where the person wrote last. */
  channel_id: string | null
  address: string | null
  last_answer: string | null
}

const settings = sql`p.office_hours, p.company_id, a.model, a.budget, p.assistant_budget as project_budget`

/** The conversation of a ticket as it is now; undefined where no assistant ever held it. */
export async function findHeldConversation(
  database: Database,
  project_id: string,
  ticket_id: string,
): Promise<HeldConversation | undefined> {
  const [row] = await database.execute<HeldConversation>(sql`
    select not t.is_closed and t.handled_by is not distinct from 'assistant' as is_held, c.segment, c.version,
      c.channel_id, c.address, c.last_answer, ${settings}
    from assistant_conversation c join ticket t on t._id = c.ticket_id join project p on p._id = c.project_id
      left join assistant a on a._id = c.assistant_id
    where c.ticket_id = ${ticket_id} and c.project_id = ${project_id}`)
  return row
}

/** Undefined when the project has no such assistant. */
export async function findAssistantSettings(
  database: Database,
  project_id: string,
  assistant_id: string,
): Promise<AssistantSettings | undefined> {
  const [row] = await database.execute<AssistantSettings>(sql`
    select ${settings} from assistant a join project p on p._id = a.project_id
    where a._id = ${assistant_id} and a.project_id = ${project_id}`)
  return row
}
