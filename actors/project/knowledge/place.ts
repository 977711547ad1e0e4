/**
 * Places in the knowledge tree. The project's actor is the only writer of its tree and has one turn at a time, and a
 * turn changes these records with each message, so what is checked here holds when the turn is committed. Triggers of
 * the table check it once more.
 */
import type { KnowledgeNode, KnowledgePlace } from '../../../storage/mod.ts'
import { toKnowledgeNodeRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Audited } from '../turn/audit.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { MAX_CHILDREN, MAX_DEPTH, MAX_DOCUMENTS, MAX_FOLDERS } from './bounds.ts'
import { type KnowledgeRecords, knowledgeReads } from './reads.ts'

/**
 * The node of a request.
 * @throws {Refusal} NOT_FOUND, also for what was deleted earlier in this turn
 */
export function activeNode(turn: ProjectTurn, id: string): KnowledgeNode {
  const records = turn.records.of(knowledgeReads)
  const node = records.by_id.get(id)
  if (!node || !isActive(records, id)) throw refuse('NOT_FOUND')
  return node
}

/** @throws {Refusal} PRECONDITION_FAILED */
export function mustHaveRevision({ revision: version }: KnowledgeNode, if_match: string[] | undefined): void {
  if (if_match?.includes(String(version)) === false) throw refuse('PRECONDITION_FAILED', { version })
}

/** The audit entry of a change of a node. */
export const auditedNode: Audited<{ type: string }> = {
  target: 'knowledge_node',
  record(turn, id) {
    const records = turn.records.of(knowledgeReads)
    const node = records.by_id.get(id)
    return node && isActive(records, id) ? toKnowledgeNodeRecord(node) : undefined
  },
}

/** True when the node and every folder above it are active. */
function isActive(records: KnowledgeRecords, id: string): boolean {
  return pathTo(records, id).every(({ is_active }) => is_active)
}

/** The node, the folder it is in, and so on up to the top. */
function pathTo({ places }: KnowledgeRecords, id: string): KnowledgePlace[] {
  const path: KnowledgePlace[] = []
  for (let at: string | null | undefined = id; at; at = path.at(-1)!.parent_id) {
    const place = places.get(at)
    if (!place) break
    path.push(place)
  }
  return path
}

/** @throws {Refusal} KNOWLEDGE_TREE_FULL, KNOWLEDGE_PARENT_NOT_FOUND and further codes of `mustTake` */
export function mustTakeNew(turn: ProjectTurn, parent_id: string | null, type: KnowledgeNode['type']): void {
  const records = turn.records.of(knowledgeReads)
  mustTake(records, parent_id, type === 'folder' ? 1 : 0)
  const most = type === 'folder' ? MAX_FOLDERS : MAX_DOCUMENTS
  if ((type === 'folder' ? records.folders : records.documents) >= most) {
    throw refuse('KNOWLEDGE_TREE_FULL', { type, limit: most })
  }
}

/** @throws {Refusal} KNOWLEDGE_NODE_BELOW_ITSELF, and codes of `mustTake` */
export function mustTakeMoved(turn: ProjectTurn, parent_id: string | null, node: KnowledgeNode): void {
  const records = turn.records.of(knowledgeReads)
  if (parent_id !== null && pathTo(records, parent_id).some(({ _id }) => _id === node._id)) {
    throw refuse('KNOWLEDGE_NODE_BELOW_ITSELF', { parent_id })
  }
  mustTake(records, parent_id, node.type === 'folder' ? heightOf(records, node._id) : 0)
}

/**
 * @param height levels of folders that are added
 * @throws {Refusal} KNOWLEDGE_PARENT_NOT_FOUND, KNOWLEDGE_PARENT_NOT_FOLDER, KNOWLEDGE_TOO_DEEP, KNOWLEDGE_FOLDER_FULL
 */
function mustTake(records: KnowledgeRecords, parent_id: string | null, height: number): void {
  let depth = 0
  if (parent_id !== null) {
    const parent = records.places.get(parent_id)
    if (!parent || !isActive(records, parent_id)) throw refuse('KNOWLEDGE_PARENT_NOT_FOUND', { parent_id })
    if (parent.type !== 'folder') throw refuse('KNOWLEDGE_PARENT_NOT_FOLDER', { parent_id })
    depth = pathTo(records, parent_id).length
  }
  if (depth + height > MAX_DEPTH) throw refuse('KNOWLEDGE_TOO_DEEP', { limit: MAX_DEPTH })
  if ((records.children.get(parent_id) ?? 0) >= MAX_CHILDREN) {
    throw refuse('KNOWLEDGE_FOLDER_FULL', { parent_id, limit: MAX_CHILDREN })
  }
}

/** Levels of a folder and the folders below it. */
function heightOf({ places }: KnowledgeRecords, id: string): number {
  const below = Map.groupBy(places.values(), ({ parent_id }) => parent_id ?? null)
  let height = 0
  for (let level: string[] = [id]; level.length > 0; height++) {
    level = level.flatMap((one) =>
      (below.get(one) ?? []).filter(({ type, is_active }) => type === 'folder' && is_active).map(({ _id }) => _id),
    )
  }
  return height
}

/** Notes that `parent_id` has one node more, or one less. */
export function countChild(turn: ProjectTurn, parent_id: string | null, change: 1 | -1): void {
  const { children } = turn.records.of(knowledgeReads)
  const count = children.get(parent_id)
  if (count !== undefined) children.set(parent_id, count + change)
}
