/** Rows written past the API, for limits that would take thousands of requests. */
import { exampleIds as ids } from '../../../actors/mod.ts'
import type { Database } from '../../../storage/mod.ts'
import { made, type Tenant } from '../fixture.ts'
import type { Places } from './records.ts'

/** Puts as many nodes into the folder as it takes, without the triggers that would look at each of them. */
export async function fillFolder(database: Database, tenant: Tenant, folder: string): Promise<void> {
  const { company_id, project_id } = tenant
  await database.execute(`
    begin;
    set local session_replication_role = replica;
    insert into knowledge_node (_id, company_id, project_id, parent_id, type, name, index_status)
    select lpad(to_hex(n), 24, '0'), '${company_id}', '${project_id}', '${folder}', 'folder', n, 'indexed'
    from generate_series(1, 10000) n;
    commit`)
}

/** Sets the numbers of nodes that the project knows of. */
export async function countNodes(
  database: Database,
  { project_id }: Tenant,
  folders: number,
  documents: number,
): Promise<void> {
  const numbers = `folders = ${folders}, documents = ${documents}`
  await database.execute(`update knowledge_tree set ${numbers} where project_id = '${project_id}'`)
}

/** Adds rows with these columns, given as SQL. */
export async function fillTable(
  database: Database,
  { company_id, project_id }: Tenant,
  table: string,
  count: number,
  columns: Record<string, string>,
): Promise<void> {
  const all: Record<string, string> = {
    ...{ _id: "lpad(to_hex(n + 1048576), 24, '0')", company_id: `'${company_id}'`, project_id: `'${project_id}'` },
    ...{ name: "'filled-' || n", ...columns },
  }
  const names = Object.keys(all).map((name) => `"${name}"`)
  await database.execute(
    `insert into ${table} (${names}) select ${Object.values(all)} from generate_series(1, ${count}) n`,
  )
}

/**
 * Gives the project all tools, programs and blocks that it may have, and an assistant all its blocks. Returns where the
 * examples have the assistant and a block that it lacks.
 */
export async function fillProject(database: Database, tenant: Tenant): Promise<Places> {
  const { project_id, token } = tenant
  const tool = {
    description: "''",
    url: "'https://x.example'",
    method: "'GET'",
    parameters: "'{}'",
    timeout_ms: '1000',
  }
  await fillTable(database, tenant, 'agent_tool', 1000, tool)
  await fillTable(database, tenant, 'loyalty_program', 100, { type: "'points'", rules: "'{}'", tiers: "'[]'" })
  const assistant = (await made(tenant.api('POST', 'assistants', { name: 'One' }))).assistant._id
  await fillTable(database, tenant, 'block', 10_000, { type: "'steps'" })
  const filled = `from block where project_id = '${project_id}' and name like 'filled-%' order by _id`
  await database.execute(`insert into assistant_block (assistant_id, block_id, project_id, type, "order")
    select '${assistant}', _id, project_id, type, 1 ${filled} limit 50`)
  const [free] = await database.execute<{ _id: string }>(`select _id ${filled} desc limit 1`)
  return { [ids.project]: project_id, [ids.assistant]: assistant, [ids.block]: free!._id, token }
}
