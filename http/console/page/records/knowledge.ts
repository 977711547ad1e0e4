import type {
  GetKnowledgeTreePage,
  KnowledgeImport,
  KnowledgeNode,
  SearchKnowledgeAnswer,
} from '../../../client/generated/types.ts'

export type { KnowledgeImport, KnowledgeNode } from '../../../client/generated/types.ts'

export type IndexFault = NonNullable<KnowledgeImport['error']>

/** `content`: null while the text is being fetched. */
export type KnowledgeDocument = KnowledgeNode & { content: string | null }

/** A node in the answer to a request for a tree. */
export type TreeNode = Omit<GetKnowledgeTreePage['data'][number], 'children'> & { children?: TreeNode[] | null }

export type KnowledgeHit = SearchKnowledgeAnswer['data'][number]
