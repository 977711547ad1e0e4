/** Documents from files and addresses. */
export { type ImportError, importError, MAX_DOCUMENT } from './failure.ts'
export { Importer, type ImporterOptions, type ImportJob, type ImportOutcome } from './importer.ts'
