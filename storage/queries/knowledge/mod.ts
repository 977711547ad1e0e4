export {
  countUnfinishedImports,
  findKnowledgeImport,
  type ImportView,
  listKnowledgeImports,
  readImportsOfSources,
  readKnowledgeImports,
  readUnfinishedImports,
} from './imports.ts'
export {
  countKnowledgeChildren,
  findKnowledgeNode,
  type KnowledgePlace,
  listKnowledgeNodes,
  readFoldersBelow,
  readKnowledgeNodes,
  readPlacesAbove,
  toIndexError,
} from './knowledge.ts'
export { unknownNodes } from './scope.ts'
export { searchKnowledge } from './search.ts'
export { readKnowledgeTree, treeCursor, treePlaceOf } from './tree.ts'
