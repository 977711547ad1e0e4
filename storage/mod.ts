/** The door of storage. Each folder has its own in `mod.ts`: what other layers may use of it. */
import './database/transaction_context.ts'

export { reserveSpending, type SpendingScope, type Spent, settleSpending } from './assistant_spending.ts'
export { storeTurn } from './assistant_turns.ts'
export * from './audit/mod.ts'
export * from './backup/mod.ts'
export * from './blobs/mod.ts'
export { dropSlicesLeft, dropUnusedSlices, SLICE, storeSlices } from './broadcasts.ts'
export {
  type BulkChoice,
  countBulkTickets,
  dropBulkSlicesLeft,
  dropUnusedBulkSlices,
  forgetBulkActions,
  type NextSlice,
  nextBulkSlice,
  storeBulkSlices,
} from './bulk_actions.ts'
export { findChannel, setChannelStatus } from './channels.ts'
export * from './cluster/mod.ts'
export * from './connections/mod.ts'
export { beginContactSeparation, separateContacts } from './contact_separation.ts'
export * from './data_rights/mod.ts'
export * from './database/mod.ts'
export * from './entities/mod.ts'
export * from './knowledge/mod.ts'
export { indexMessages } from './message_text.ts'
export * from './migrating/mod.ts'
export {
  type ClaimedRequest,
  claimRequest,
  freeKey,
  type HeldRequest,
  type KeyedRequest,
  keepAnswer,
  mendAnswer,
} from './operator_requests.ts'
export * from './queries/mod.ts'
export * from './retention/mod.ts'
export * from './secrets/mod.ts'
export * from './sessions/mod.ts'
export * from './setup/mod.ts'
export * from './sql/mod.ts'
export { replaceTemplates, type SyncedTemplate } from './templates.ts'
export * from './values/mod.ts'
export * from './vault/mod.ts'
