export { KnowledgeIndexer } from './indexer.ts'
