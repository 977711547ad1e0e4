export {
  type ErasureFilter,
  type ErasureRecord,
  findErasure,
  listErasures,
} from './data_erasures.ts'
export { type ExportFilter, findExport, listExports } from './data_exports.ts'
export {
  type EndingRecord,
  type ErasedDispatch,
  listEndingRecords,
  listErasedDispatches,
  listErasedIds,
  listErasingProjects,
  listUnsentTo,
  readTicketIdsOf,
} from './erased_people.ts'
