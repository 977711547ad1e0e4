import type pg from 'pg'
import { objectId } from '../../../storage/mod.ts'

/**
 * Makes `count` contacts in each of the projects, each with an open ticket. Returns the contacts' ids, project by
 * project.
 */
export async function seedPeople(
  database: pg.Client,
  company_id: string,
  project_ids: string[],
  each: number,
): Promise<string[]> {
  const people = project_ids.flatMap((project_id) =>
    Array.from({ length: each }, () => ({ project_id, contact: objectId(), ticket: objectId() })),
  )
  const json = JSON.stringify(people)
  const rows = 'json_to_recordset($1) as r(project_id text, contact text, ticket text)'
  await database.query(
    `insert into contact (_id, company_id, project_id, channel_type, user_id, phone, name)
     select contact, $2, project_id, 'telegram', contact, '+5215' || row_number() over (), 'Ana' from ${rows}`,
    [json, company_id],
  )
  await database.query(
    `insert into ticket (_id, company_id, project_id, chat_user) select ticket, $2, project_id, contact from ${rows}`,
    [json, company_id],
  )
  await database.query('analyze contact, ticket')
  return people.map(({ contact }) => contact)
}
