/** Bulk actions as the page of the console asks for them, over projects with many tickets. */
import type { Database } from '../../storage/mod.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { ownPage } from './console_client.ts'
import type { Tenant } from './fixture.ts'

/** `n`th id of the project: contacts and tickets are numbered from 0. */
const idOf = (project_id: string, n: string) => `left(md5('${project_id}'), 18) || lpad(to_hex(${n}), 6, '0')`

/** Stores tickets, each of a contact of its own. `columns`: further columns, as expressions of `n`. */
export async function storeTickets(
  database: Database,
  { company_id, project_id }: Tenant,
  count: number,
  columns: Record<string, string> = {},
): Promise<void> {
  const common = `'${company_id}', '${project_id}'`
  const id = idOf(project_id, 'n')
  const numbers = `generate_series(0, ${count - 1}) n`
  await database.execute(
    `insert into contact (_id, company_id, project_id, channel_type, user_id) select ${id}, ${common}, 'telegram', ${id} from ${numbers}`,
  )
  const names = Object.keys(columns).map((name) => `, ${name}`)
  const values = Object.values(columns).map((value) => `, ${value}`)
  await database.execute(
    `insert into ticket (_id, company_id, project_id, chat_user${names.join('')})
      select ${id}, ${common}, ${id}${values.join('')} from ${numbers}`,
  )
}

export type Ask = (method: string, path: string, json?: Json, headers?: Record<string, string>) => Promise<Answer>

/** Calls below the project of the console, for a session. */
export function askerOf(
  http: (method: string, url: string, call: { json?: unknown; headers: Record<string, string> }) => Promise<Answer>,
  base_url: string,
  cookie: string,
  { project_id }: Tenant,
): Ask {
  return (method, path, json, headers) =>
    http(method, `${base_url}/console/projects/${project_id}/${path}`, {
      ...(json && { json }),
      headers: { cookie, ...ownPage({ base_url }), ...headers },
    })
}

/** Resolves to the record of an action once it is as `look` wants it. */
export function actionWhen(ask: Ask, id: string, what: string, look: (record: Json) => boolean): Promise<Json> {
  return eventually(`the action ${id} ${what}`, async () => {
    const { status, body } = await ask('GET', `bulk_actions/${id}`).catch(() => ({ status: 0, body: undefined }))
    return status === 200 && look(body) && body
  })
}

export const isOver = ({ status }: Json) => status !== 'running'

type Total = { count: number }

/** Counts rows of a statement. */
export async function countOf(database: Database, sql: string): Promise<number> {
  return (await database.execute<Total>(`select count(*)::int as count from ${sql}`))[0]!.count
}

/** The counts of an action are those of the tickets. Returns the differences. */
export async function wrongCounts(database: Database, record: Json, changes: number): Promise<string[]> {
  const { total, done_count, changed_count, unchanged_count, refused_count, refused_by_code, id } = record
  const found: string[] = []
  if (changed_count + unchanged_count + refused_count !== done_count) found.push(`the counts do not add up: ${record}`)
  if (record.status === 'completed' && done_count !== total) found.push(`${done_count} of ${total} are done`)
  if (changes !== changed_count) found.push(`${changes} changes, and ${changed_count} were counted`)
  const codes = Object.values(refused_by_code as Record<string, number>).reduce((sum, count) => sum + count, 0)
  if (codes !== refused_count) found.push(`${codes} refusals by code of ${refused_count}`)
  const left = await countOf(database, `bulk_action_slice where bulk_action_id = '${id}'`)
  if (record.status === 'completed' && left > 0) found.push(`${left} slices are left`)
  return found
}
