import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { AgentTool } from '../../entities/assistants/agent_tool.ts'
import { Assistant } from '../../entities/assistants/assistant.ts'
import type { AssistantBlock } from '../../entities/assistants/assistant_block.ts'
import { AssistantTestSet } from '../../entities/assistants/assistant_test_set.ts'
import type { AssistantTool } from '../../entities/assistants/assistant_tool.ts'
import { Block } from '../../entities/assistants/block.ts'
import { BlockVersion } from '../../entities/assistants/block_version.ts'
import { sql } from '../../sql/sql.ts'
import { unknownNodes } from '../knowledge/scope.ts'
import { readHeldTools } from './agent_tools.ts'
import { readLinks } from './blocks.ts'

/** The records that changes of assistants and blocks need. */
export type CatalogueKeys = {
  /** With their links and blocks. */
  assistants: Set<string>
  blocks: Set<string>
  versions: Set<string>
  /** Agent tools, by id. */
  tools: Set<string>
  /** Knowledge nodes, by id. */
  nodes: Set<string>
  /** Test sets, by id. */
  test_sets: Set<string>
  /** Users, stages and tags of hand-overs, by id. */
  targets: Set<string>
  /** The numbers of active assistants and of blocks that are not archived. */
  counts: boolean
}

export type AssistantCatalogue = {
  assistants: Map<string, Assistant>
  /** Links of each assistant, in no particular order. */
  links: Map<string, AssistantBlock[]>
  blocks: Map<string, Block>
  versions: Map<string, BlockVersion>
  /** The wanted tools that the project has. */
  tools: Set<string>
  /** The wanted knowledge nodes that the project has or had: what refers to a node keeps its id when it is deleted. */
  nodes: Set<string>
  /** The wanted test sets that the project has. */
  test_sets: Set<string>
  /** The wanted users who are active in the company, and the wanted stages and tags of the project. */
  targets: Record<'user' | 'stage' | 'tag', Set<string>>
  /** Tools that an assistant holds, in their order; by assistant. */
  held_tools: Map<string, AssistantTool[]>
  counts: { assistants: number; blocks: number }
}

export function emptyCatalogue(): AssistantCatalogue {
  return {
    assistants: new Map(),
    links: new Map(),
    blocks: new Map(),
    versions: new Map(),
    tools: new Set(),
    nodes: new Set(),
    test_sets: new Set(),
    targets: { user: new Set(), stage: new Set(), tag: new Set() },
    held_tools: new Map(),
    counts: { assistants: 0, blocks: 0 },
  }
}

/** Adds the wanted records of the project. */
export async function readCatalogue(
  database: Database,
  project_id: string,
  keys: CatalogueKeys,
  found: AssistantCatalogue,
): Promise<void> {
  const nodes = [...keys.nodes]
  const [assistants, links, versions, tools, unknown_nodes, test_sets, targets, held_tools, counts] = await Promise.all(
    [
      rowsOf(database, Assistant, project_id, keys.assistants),
      keys.assistants.size === 0 ? [] : readLinks(database, project_id, [...keys.assistants]),
      rowsOf(database, BlockVersion, project_id, keys.versions),
      rowsOf(database, AgentTool, project_id, keys.tools),
      nodes.length === 0 ? [] : unknownNodes(database, project_id, nodes),
      rowsOf(database, AssistantTestSet, project_id, keys.test_sets),
      keys.targets.size === 0 ? [] : readTargets(database, project_id, [...keys.targets]),
      keys.assistants.size === 0 ? [] : readHeldTools(database, [...keys.assistants]),
      keys.counts ? count(database, project_id) : undefined,
    ],
  )
  const block_ids = new Set([...keys.blocks, ...links.map(({ block_id }) => block_id)])
  for (const row of await rowsOf(database, Block, project_id, block_ids)) found.blocks.set(row._id, row)
  for (const row of assistants) {
    found.assistants.set(row._id, row)
    found.links.set(row._id, [])
    found.held_tools.set(row._id, [])
  }
  for (const row of links) found.links.get(row.assistant_id)?.push(row)
  for (const row of held_tools) found.held_tools.get(row.assistant_id)?.push(row)
  for (const { _id } of tools) found.tools.add(_id)
  for (const { _id } of test_sets) found.test_sets.add(_id)
  for (const { kind, _id } of targets) found.targets[kind].add(_id)
  const unknown = new Set(unknown_nodes)
  for (const id of nodes) if (!unknown.has(id)) found.nodes.add(id)
  for (const row of versions) found.versions.set(row._id, row)
  if (counts) Object.assign(found.counts, counts)
}

async function rowsOf<Row extends { _id: string; project_id: string }>(
  database: Database,
  entity: Parameters<typeof readRows<Row>>[1],
  project_id: string,
  ids: Set<string>,
): Promise<Row[]> {
  return ids.size === 0 ? [] : readRows<Row>(database, entity, { _id: [...ids], project_id } as never)
}

async function count(database: Database, project_id: string): Promise<AssistantCatalogue['counts']> {
  const mine = sql`project_id = ${project_id}`
  const [row] = await database.execute<AssistantCatalogue['counts']>(sql`
    select (select count(*)::integer from assistant where ${mine} and is_active) as assistants,
      (select count(*)::integer from block where ${mine} and not is_archived) as blocks`)
  return row!
}

type Target = { kind: keyof AssistantCatalogue['targets']; _id: string }

function readTargets(database: Database, project_id: string, ids: string[]): Promise<Target[]> {
  return database.execute<Target>(sql`
    select 'user' as kind, u._id from "user" u join project p on p.company_id = u.company_id
      where p._id = ${project_id} and u.is_active and u._id in (${sql.list(ids)})
    union all select 'stage', _id from pipeline_stage where project_id = ${project_id} and _id in (${sql.list(ids)})
    union all select 'tag', _id from tag where project_id = ${project_id} and _id in (${sql.list(ids)})`)
}
