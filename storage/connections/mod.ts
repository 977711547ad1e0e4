export type { CommitOptions } from './commit_connections.ts'
export { type HistoryChange, HistoryChanged } from './history.ts'
export { isRefusal, parsePostgresUrl } from './servers.ts'
