/** Reads for the tools of an assistant at work. All are bound to a project, and to a person where they tell of one. */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { AgentTool } from '../../entities/assistants/agent_tool.ts'
import { Message } from '../../entities/messages/message.ts'
import type { CustomField } from '../../entities/people/custom_field.ts'
import { sql } from '../../sql/sql.ts'
import type { OfficeHours } from '../../values/office_hours.ts'

/** Tags that a model chooses from. */
const MAX_TAGS = 200
const MAX_FIELDS = 100
const MAX_BOOKABLE = 20

export type ToolFacts = {
  tags: { _id: string; name: string }[]
  /** Custom fields of tickets that the company defined. */
  fields: Pick<CustomField, 'key' | 'name' | 'type' | 'options'>[]
  /** Users who had appointments in the last 90 days or have some: those who take them. */
  bookable: { _id: string; full_name: string }[]
  office_hours: OfficeHours | null
  has_events: boolean
  has_orders: boolean
}

/** `chat_user`: the person. */
export async function readToolFacts(
  database: Database,
  { company_id, project_id, chat_user }: { company_id: string; project_id: string; chat_user: string | null },
): Promise<ToolFacts> {
  const [row] = await database.execute<ToolFacts>(sql`
    select
      coalesce((select json_agg(t) from (
        select _id, name from tag where project_id = ${project_id} order by name, _id limit ${MAX_TAGS}) t), '[]') as tags,
      coalesce((select json_agg(f) from (
        select key, name, type, options from custom_field where company_id = ${company_id} and owner = 'ticket'
        order by key limit ${MAX_FIELDS}) f), '[]') as fields,
      coalesce((select json_agg(b) from (
        select u._id, u.full_name from "user" u where u.company_id = ${company_id} and u.is_active and u._id in (
          select assigned_to from appointment where project_id = ${project_id} and starts_at > now() - interval '90 days'
            and assigned_to is not null)
        order by u.full_name, u._id limit ${MAX_BOOKABLE}) b), '[]') as bookable,
      (select office_hours from project where _id = ${project_id}) as office_hours,
      exists (select from ticket t join crm_event e on e.ticket_id = t._id and e.project_id = ${project_id}
        where t.chat_user = ${chat_user} and t.project_id = ${project_id} and ${ofOwnType(company_id)}) as has_events,
      exists (select from message where chat_user = ${chat_user} and project_id = ${project_id} and type = 'order'
        and direction = 'inbound') as has_orders`)
  return row!
}

/** Types that the company defined: events of the system tell how people work. */
const ofOwnType = (company_id: string) =>
  sql`e.event_type in (select key from event_type where company_id = ${company_id} and not is_system)`

/** The tools that an assistant of the project holds and that are switched on, in its order. */
export async function readOfferedTools(
  database: Database,
  project_id: string,
  assistant_id: string,
): Promise<AgentTool[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, AgentTool, sql`t`)} from assistant_tool h join agent_tool t on t._id = h.tool_id
    where h.assistant_id = ${assistant_id} and t.project_id = ${project_id} and t.is_active order by h.position, t._id`)
  return toRows(database, AgentTool, rows)
}

export type KnowledgePassage = { node_id: string; text: string; is_cut: boolean; url: string | null }

/** Characters of a document around the place that was found. */
const PASSAGE = 2_400
const BEFORE = 600

/** Active documents, or their parts around these texts of them, and the addresses from which they were imported. */
export async function readPassages(
  database: Database,
  project_id: string,
  places: readonly { node_id: string; text: string }[],
): Promise<Map<string, KnowledgePassage>> {
  if (places.length === 0) return new Map()
  const values = places.map(({ node_id, text }) => sql`(${node_id}, ${text})`)
  // Texts of a search stand on one line, so a part of a large document does, too.
  const rows = await database.execute<KnowledgePassage>(sql`
    select n._id as node_id, char_length(n.content) > ${PASSAGE} as is_cut,
      case when char_length(n.content) <= ${PASSAGE} then n.content else (
        select substring(folded.text from greatest(1, strpos(folded.text, w.text) - ${BEFORE}) for ${PASSAGE})
        from (select regexp_replace(n.content, '\\s+', ' ', 'g') as text) folded) end as text,
      coalesce(n.source_url, (select i.source from knowledge_import i where i.node_id = n._id and i.origin = 'url')) as url
    from (values ${sql.join(values, ', ')}) w (node_id, text)
    join knowledge_node n on n._id = w.node_id and n.project_id = ${project_id} and n.is_active`)
  return new Map(rows.map((row) => [row.node_id, row]))
}

export type OwnEvent = { event_type: string; data: Record<string, unknown>; created_at: string }

/** Events of the types that the company defined, on the tickets of a person, newest first. */
export function readOwnEvents(
  database: Database,
  { company_id, project_id, chat_user }: { company_id: string; project_id: string; chat_user: string },
  limit: number,
): Promise<OwnEvent[]> {
  return database.execute<OwnEvent>(sql`
    select e.event_type, e.data, e.created_at from ticket t join crm_event e on e.ticket_id = t._id
    where t.chat_user = ${chat_user} and t.project_id = ${project_id} and e.project_id = ${project_id}
      and ${ofOwnType(company_id)}
    order by e.created_at desc, e._id desc limit ${limit}`)
}

/** Orders that a person sent as messages, newest first. */
export async function readOwnOrders(
  database: Database,
  { project_id, chat_user }: { project_id: string; chat_user: string },
  limit: number,
): Promise<Message[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, Message)} from message
    where chat_user = ${chat_user} and project_id = ${project_id} and type = 'order' and direction = 'inbound'
      and deleted_at is null
    order by id desc limit ${limit}`)
  return toRows(database, Message, rows)
}
