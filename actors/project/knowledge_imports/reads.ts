import {
  countUnfinishedImports,
  type KnowledgeImport,
  readImportsOfSources,
  readKnowledgeImports,
  readKnowledgeNodes,
  readUnfinishedImports,
} from '../../../storage/mod.ts'
import { knowledgeReads } from '../knowledge/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import { MAX_READ, MAX_UNFINISHED } from './running.ts'

type Keys = {
  node_ids: Set<string>
  source_hashes: Set<string>
  /** The imports that are due next. */
  next: boolean
}

export type ImportRecords = {
  by_node: Map<string, KnowledgeImport>
  /** The unfinished imports that are due, those of each site in turn, then those that are due next. */
  next: KnowledgeImport[]
  /** The number of unfinished imports, where new ones are wanted. */
  unfinished: number
}

/** Imports, and the documents of those that are found by their source or because they are due. */
export const importReads: ReadKind<Keys, ImportRecords> = {
  keys: () => ({ node_ids: new Set(), source_hashes: new Set(), next: false }),
  found: () => ({ by_node: new Map(), next: [], unfinished: 0 }),
  async read(found, { node_ids, source_hashes, next }, { database, now, state: { project_id } }) {
    const [named, known, due, unfinished] = await Promise.all([
      node_ids.size > 0 ? readKnowledgeImports(database, project_id, node_ids) : [],
      source_hashes.size > 0 ? readImportsOfSources(database, project_id, source_hashes) : [],
      // Imports under way come first, as they were due first.
      next ? readUnfinishedImports(database, project_id, now, MAX_READ) : [],
      source_hashes.size > 0 ? countUnfinishedImports(database, project_id, MAX_UNFINISHED) : 0,
    ])
    for (const row of [...named, ...known, ...due]) {
      if (!found.by_node.has(row.node_id)) found.by_node.set(row.node_id, row)
    }
    found.unfinished = unfinished
    found.next = due.map(({ node_id }) => found.by_node.get(node_id)!)
  },
  async finish({ by_node }, _, { database, state: { project_id }, records }) {
    const nodes = records.of(knowledgeReads).by_id
    const missing = [...by_node.keys()].filter((id) => !nodes.has(id))
    if (missing.length === 0) return
    for (const node of await readKnowledgeNodes(database, project_id, missing)) nodes.set(node._id, node)
  },
}
