import {
  countKnowledgeChildren,
  type KnowledgeNode,
  type KnowledgePlace,
  KnowledgeTree,
  readFoldersBelow,
  readKnowledgeNodes,
  readPlacesAbove,
  readRows,
} from '../../../storage/mod.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import { MAX_CHILDREN } from './bounds.ts'

type Keys = {
  /** Nodes to change. */
  ids: Set<string>
  /** Folders to put nodes into; null for the top. */
  parents: Set<string | null>
  /** Nodes to move. */
  moved: Set<string>
}

export type KnowledgeRecords = {
  by_id: Map<string, KnowledgeNode>
  /** Places of these nodes and parents, of all folders above them and of those below the moved ones. */
  places: Map<string, KnowledgePlace>
  /** Number of nodes in a parent. */
  children: Map<string | null, number>
  folders: number
  documents: number
}

/** Nodes of the knowledge tree, with what decides whether they may be placed or moved. */
export const knowledgeReads: ReadKind<Keys, KnowledgeRecords> = {
  keys: () => ({ ids: new Set(), parents: new Set(), moved: new Set() }),
  found: () => ({ by_id: new Map(), places: new Map(), children: new Map(), folders: 0, documents: 0 }),
  read(found, { ids, parents, moved }, { database, state: { project_id } }) {
    const placed = new Set([...ids, ...[...parents].filter((id) => id !== null)])
    const under_way: Promise<void>[] = []
    const keep = ({ _id, parent_id, type, is_active }: KnowledgePlace) => {
      found.places.set(_id, { _id, parent_id: parent_id ?? null, type, is_active })
    }
    if (placed.size > 0) {
      under_way.push(readPlacesAbove(database, project_id, placed).then((places) => places.forEach(keep)))
    }
    if (moved.size > 0) {
      under_way.push(readFoldersBelow(database, moved).then((places) => places.forEach(keep)))
    }
    if (ids.size > 0) {
      under_way.push(
        readKnowledgeNodes(database, project_id, ids).then((nodes) => {
          for (const node of nodes) found.by_id.set(node._id, node)
        }),
      )
    }
    if (parents.size > 0) {
      under_way.push(
        countKnowledgeChildren(database, project_id, parents, MAX_CHILDREN).then((counts) => {
          for (const [parent, count] of counts) found.children.set(parent, count)
        }),
        readRows(database, KnowledgeTree, { project_id }).then(([tree]) => {
          found.folders = tree?.folders ?? 0
          found.documents = tree?.documents ?? 0
        }),
      )
    }
    return Promise.all(under_way)
  },
}

/** Call this for each message that changes a node. */
export function wantNode(reads: Reads, id: string): void {
  reads.of(knowledgeReads).ids.add(id)
}

/** Call this for each message that puts a node into `parent`, and with the id of a node that is moved there. */
export function wantParent(reads: Reads, parent: string | null, moved?: string): void {
  const keys = reads.of(knowledgeReads)
  keys.parents.add(parent)
  if (moved !== undefined) keys.moved.add(moved)
}
