export { ANALYSIS_SCRIPT, type Analysis, type DocumentText } from './analysis.ts'
export { type AnalysedDocument, indexDocuments, nextOutdatedProject, renormDocuments } from './index_documents.ts'
export { knowledgeLanguages } from './languages.ts'
export {
  claimQueued,
  dropOrphans,
  failQueued,
  nextQueuedProject,
  postponeQueued,
  type QueuedDocument,
  queueAll,
  readIndexState,
  releaseClaims,
} from './queue.ts'
