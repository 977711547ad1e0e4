export { type AskedActors, isErased, type PhaseResult, runPhase } from './erasure/run_phase.ts'
export { ErasureMoved } from './erasure/transaction.ts'
export {
  beginAttempt,
  type ExportAttempt,
  ExportMoved,
  expireExports,
  exportKey,
  failExport,
  finishExport,
  noteProgress,
} from './export/job.ts'
export { type ExportedFile, openSnapshot } from './export/snapshot.ts'
export { countSubject } from './preview.ts'
export { contactIdentityList, findSubject, type NamedSubject } from './subject.ts'
