import './transaction_context.ts'

export { advisoryLock } from './advisory_locks.ts'
export { forgetAnswers, forgetEarlyStatuses } from './answers.ts'
export { actingFor, withoutOrigin } from './audit/acting_for.ts'
export { type AuditOf, eraseAudit, forgetAudit } from './audit/doors.ts'
export { type AuditChange, auditEntry } from './audit/entry.ts'
export { type Origin, systemOrigin } from './audit/origin.ts'
export { auditAct, writeAudit } from './audit/write_audit.ts'
export { readBackupFile, type WrittenFile, writeBackupFile } from './backup/archive_file.ts'
export { BackupError } from './backup/backup_error.ts'
export type { Head as BackupHead, Manifest as BackupManifest, Settings as BackupSettings } from './backup/format.ts'
export { makeBackup } from './backup/make_backup.ts'
export { readArchive, readHead } from './backup/read_archive.ts'
export { type Restored, restoreBackup } from './backup/restore.ts'
export { batched } from './batcher.ts'
export { blank } from './blank.ts'
export { removeBlobs } from './blob_removals.ts'
export type { BlobStore, ByteRange } from './blobs/blob_store.ts'
export { removeLeft } from './blobs/file_blobs.ts'
export { openBlobs } from './blobs/open_blobs.ts'
export { checkWritable } from './blobs/writable.ts'
export { type BlockFamily, type BlockType, blockFamilies, blockTypeNames, blockTypes } from './block_types.ts'
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
export { checkSecret, compareSecret, confirmSecret, SecretMismatch } from './canary.ts'
export { findChannel, setChannelStatus } from './channels.ts'
export { type ClusterRow, claimCluster, readCluster, resumeCluster, warningOfQuiet } from './cluster_row.ts'
export type { CommitOptions } from './commit_connections.ts'
export { composed } from './composed_text.ts'
export {
  beginSession,
  dropSessionsOver,
  endSession,
  endSessionsOf,
  isAgent,
  MAX_SESSION_S,
  OPERATOR_PERMISSION,
  renewSessions,
} from './console_sessions.ts'
export { beginContactSeparation, separateContacts } from './contact_separation.ts'
export { MIN_SECRET, openVault, type Vault, VaultError } from './credentials.ts'
export { type AskedActors, isErased, type PhaseResult, runPhase } from './data_rights/erasure/run_phase.ts'
export { ErasureMoved } from './data_rights/erasure/transaction.ts'
export {
  beginAttempt,
  type ExportAttempt,
  ExportMoved,
  expireExports,
  exportKey,
  failExport,
  finishExport,
  noteProgress,
} from './data_rights/export/job.ts'
export { type ExportedFile, openSnapshot } from './data_rights/export/snapshot.ts'
export { countSubject } from './data_rights/preview.ts'
export { contactIdentityList, findSubject, type NamedSubject } from './data_rights/subject.ts'
export { type Database, type DatabaseOptions, openDatabase } from './database.ts'
export { keepDayTables } from './day_tables.ts'
export type { BroadcastStatus } from './entities/broadcast.ts'
export type { RecipientStatus } from './entities/broadcast_recipient.ts'
export type { SliceRecipient } from './entities/broadcast_slice.ts'
export type { BulkActionStatus, BulkChange, BulkRefusal } from './entities/bulk_action.ts'
export type { ChannelStatus } from './entities/channel.ts'
export type { DeliveryStatus } from './entities/delivery.ts'
export type { FlowStatus } from './entities/flow.ts'
export type { MessageStatus } from './entities/message.ts'
export * from './entities/mod.ts'
export type { ProjectLimits } from './entities/project.ts'
export {
  NO_ADDRESS,
  type Recovery,
  type WebhookFormat,
  type WebhookMode,
  type WebhookOrdering,
  type WebhookPayload,
} from './entities/subscription.ts'
export { covers, isPattern } from './event_patterns.ts'
export { hideSecrets, hideSecretsInText } from './hide_secrets.ts'
export { type HistoryChange, HistoryChanged } from './history.ts'
export {
  type IdPrefix,
  isObjectId,
  isPrefixedId,
  objectId,
  objectIdAt,
  outrunId,
  outrunOwners,
  prefixedId,
} from './ids.ts'
export { joined } from './joined.ts'
export { ANALYSIS_SCRIPT, type Analysis, type DocumentText } from './knowledge/analysis.ts'
export { type AnalysedDocument, indexDocuments, renormNext } from './knowledge/index_documents.ts'
export { knowledgeLanguages } from './knowledge/languages.ts'
export {
  claimQueued,
  dropOrphans,
  failQueued,
  nextQueuedProject,
  postponeQueued,
  type QueuedDocument,
  queueAll,
  readIndexState,
  readQueueFigures,
  releaseClaims,
} from './knowledge/queue.ts'
export {
  forgetAgentRecords,
  forgetAgentToolCalls,
  forgetDeadLetters,
  forgetKnowledge,
  forgetMails,
} from './leftovers.ts'
export {
  expiryOf,
  figuresAt,
  type LoyaltyProgramType,
  type LoyaltyRules,
  type LoyaltyTier,
  tierAt,
} from './loyalty_rules.ts'
export {
  countKeptFiles,
  expireMedia,
  forgetMedia,
  keepMedia,
  removeMedia,
  STORING_MS,
  storeMedia,
  withdrawMedia,
} from './media.ts'
export { indexMessages } from './message_text.ts'
export { compareMigrations, migrate } from './migrate.ts'
export { TablesInUse } from './migrating/step_run.ts'
export { isNotice } from './notices.ts'
export {
  type ClaimedRequest,
  claimRequest,
  freeKey,
  type HeldRequest,
  type KeyedRequest,
  keepAnswer,
  mendAnswer,
} from './operator_requests.ts'
export { hashPassword, verifyPassword } from './password.ts'
export { phoneForms } from './phone_forms.ts'
export { warningOfPooling } from './pooling.ts'
export { projectsOfActors, readLags } from './queries/activity.ts'
export {
  type AgentToolCallRecord,
  type AgentToolFilter,
  type AgentToolRecord,
  countAgentTools,
  findAgentTool,
  listAgentToolCalls,
  listAgentTools,
  listToolHolders,
  REDACTED,
  type ToolHolder,
  toAgentToolCallRecord,
  toAgentToolRecord,
} from './queries/agent_tools.ts'
export {
  type AppointmentFilter,
  type AppointmentRecord,
  type FoundAppointment,
  findAppointment,
  type HeldSlot,
  listAppointments,
  overlap,
  readAppointments,
  readHeldSlots,
  readLastNumber,
  type Slot,
  toAppointmentRecord,
} from './queries/appointments.ts'
export {
  type AssistantCatalogue,
  type CatalogueWants,
  emptyCatalogue,
  readCatalogue,
} from './queries/assistant_catalogue.ts'
export {
  type AssistantFilter,
  type AssistantRecord,
  findAssistant,
  listAssistants,
  showAssistants,
  toAssistantRecord,
} from './queries/assistants.ts'
export { type AuditFilter, type AuditRecord, findAudit, hasAudited, listAudit } from './queries/audit.ts'
export {
  type AttachedRecord,
  type BlockFilter,
  type BlockRecord,
  type BlockVersionRecord,
  countBlocks,
  findBlock,
  findVersion,
  listBlocks,
  listVersions,
  readAttached,
  readCurrentVersions,
  toBlockRecord,
  toVersionRecord,
} from './queries/blocks.ts'
export {
  type BoardCard,
  type BoardColumn,
  type BoardFilter,
  type BoardTotal,
  MAX_COUNTED,
  readBoard,
  readBoardTotals,
} from './queries/board.ts'
export {
  type BroadcastFilter,
  type BroadcastRecord,
  countUnfinished,
  findBroadcast,
  listBroadcasts,
  listRecipients,
  type RecipientRecord,
  toBroadcastRecord,
} from './queries/broadcasts.ts'
export {
  type BulkActionRecord,
  countRunningBulkActions,
  findBulkAction,
  listBulkActions,
  readRunningBulkActions,
  toBulkActionRecord,
} from './queries/bulk_actions.ts'
export { type CalendarEntry, listCalendar } from './queries/calendar.ts'
export {
  type CannedResponseRecord,
  cannedCursor,
  findCannedResponse,
  listCannedResponses,
  readShortcuts,
  toCannedResponseRecord,
} from './queries/canned_responses.ts'
export {
  type AgentRecord,
  findAgent,
  findSession,
  findSignIn,
  type LiveSession,
  listAgentsAt,
  listSessionsOf,
  liveSessions,
} from './queries/console_sessions.ts'
export {
  type ContactFilter,
  type ContactRecord,
  findContact,
  listContacts,
  toContactRecord,
} from './queries/contacts.ts'
export {
  type CrmEventFilter,
  type CrmEventRecord,
  findCrmEvent,
  listCrmEvents,
  toCrmEventRecord,
} from './queries/crm_events.ts'
export { type CustomerFilter, type CustomerRecord, findCustomer, listCustomers } from './queries/customers.ts'
export { customersAt } from './queries/customers_at.ts'
export {
  type ErasureFilter,
  type ErasureRecord,
  findErasure,
  listErasures,
} from './queries/data_erasures.ts'
export { type ExportFilter, findExport, listExports } from './queries/data_exports.ts'
export {
  countDeadLetters,
  type DeadLetterFigures,
  type DeadLetterFilter,
  type DeadLetterSummary,
  findDeadLetter,
  type KeptMessage,
  lastDeadLetterId,
  listDeadLetters,
  readDeadLetterFigures,
  readDeadLetterIds,
  readKeptMessages,
} from './queries/dead_letters.ts'
export {
  type DeadStreak,
  type DeliveryRecord,
  deadStreak,
  findDelivery,
  lastDeliveryIds,
  listAttempts,
  listDeliveries,
} from './queries/deliveries.ts'
export {
  type DraftPlace,
  type DraftRecord,
  findDraft,
  isEmptyDraft,
  listDrafts,
  noDraft,
  readDrafts,
  toDraftRecord,
} from './queries/drafts.ts'
export {
  type EndingRecord,
  type ErasedDispatch,
  listEndingRecords,
  listErasedDispatches,
  listErasedIds,
  listErasingProjects,
  listUnsentTo,
  readTicketIdsOf,
} from './queries/erased_people.ts'
export { type ExpiringToken, listExpiringTokens } from './queries/expiring_tokens.ts'
export { type FlowRecord, findFlow, listFlows, toFlowRecord } from './queries/flows.ts'
export { findIdentity, type Identity, listProjectIds, listProjects } from './queries/identity.ts'
export {
  type InboxFilter,
  type InboxRow,
  type InboxSort,
  type InboxView,
  listInbox,
  MAX_UNREAD,
} from './queries/inbox.ts'
export { countInbox, type InboxCount, MAX_TICKETS, MAX_UNREAD_TICKETS } from './queries/inbox_counts.ts'
export type { CountedPage, Page, PageOptions, Window } from './queries/keyset.ts'
export {
  countKnowledgeChildren,
  findKnowledgeNode,
  type KnowledgePlace,
  listKnowledgeNodes,
  readFoldersBelow,
  readKnowledgeNodes,
  readPlacesAbove,
  toKnowledgeRecord,
} from './queries/knowledge.ts'
export {
  countUnfinishedImports,
  findKnowledgeImport,
  listKnowledgeImports,
  readImportsOfSources,
  readKnowledgeImports,
  readUnfinishedImports,
} from './queries/knowledge_imports.ts'
export { unknownNodes } from './queries/knowledge_scope.ts'
export { searchKnowledge } from './queries/knowledge_search.ts'
export { readKnowledgeTree, treeCursor, treePlaceOf } from './queries/knowledge_tree.ts'
export {
  type EntryFilter,
  type EntryRecord,
  findLoyaltyProgram,
  findMembership,
  type LoyaltyProgramFilter,
  type LoyaltyProgramRecord,
  listEntries,
  listLoyaltyPrograms,
  listMemberships,
  type MembershipFilter,
  type MembershipRecord,
  readNextExpiries,
  toEntryRecord,
  toFullEntryRecord,
  toFullMembershipRecord,
  toLoyaltyProgramRecord,
  toMembershipRecord,
} from './queries/loyalty.ts'
export { findLinkedMedia, findMedia, findProviderMedia, readMedia } from './queries/media.ts'
export {
  type ChatPlace,
  findMessage,
  findReference,
  findWaiting,
  latestPlaces,
  listEditsOf,
  listMessages,
  listReceivedFrom,
  listUnreadBy,
  type MessageFilter,
  type MessageRecord,
  outcomeWarnings,
  readLastReceived,
  toMessageRecord,
} from './queries/messages.ts'
export {
  type AgentNoteRecord,
  findNote,
  listNotes,
  listNotesAbout,
  type NoteFilter,
  type NoteRecord,
  toAgentNoteRecord,
  toNoteRecord,
} from './queries/notes.ts'
export {
  listNotifications,
  type NotificationRecord,
  readUnreadIds,
  toNotificationRecord,
} from './queries/notifications.ts'
export { MAX_DEAD_LETTERS, MAX_NOTED, readBacklogs, readLeases } from './queries/operations/backlogs.ts'
export { type ChannelHealthRow, listChannelHealth } from './queries/operations/channel_health.ts'
export { listDisabledWebhooks } from './queries/operations/disabled_webhooks.ts'
export { groupDeadLetters, listRecentDeadLetters } from './queries/operations/recent_dead_letters.ts'
export { searchTenants } from './queries/operations/tenants.ts'
export { listTokensByState } from './queries/operations/token_list.ts'
export { listUsers } from './queries/operations/user_list.ts'
export { findOperator, type Operator, touchOperatorKey } from './queries/operator_keys.ts'
export { type ContactWithTicket, readPeople } from './queries/people.ts'
export { phoneIn } from './queries/phone_text.ts'
export { type Fetched, readFetched, sweepPollGroups } from './queries/poll_groups.ts'
export { findPolledDelivery, listPolledDeliveries } from './queries/polled_deliveries.ts'
export { nextPosition, type PolledPage, positionAt, readPolled } from './queries/polls.ts'
export { type AskedMark, type FoundMark, readAskedMarks } from './queries/read_marks.ts'
export { findReceiver, type Receiver } from './queries/receivers.ts'
export { type Reconciliation, reconcileWebhooks } from './queries/reconcile.ts'
export {
  countSavedViews,
  listSavedViews,
  MAX_VIEW_TICKETS,
  readSavedViews,
  type SavedViewRecord,
  toSavedViewRecord,
} from './queries/saved_views.ts'
export {
  countScheduled,
  type FoundScheduled,
  listScheduledMessages,
  listScheduledOfTicket,
  readCancelledByAnswer,
  readScheduledMessages,
  type ScheduledMessageRecord,
  toScheduledMessageRecord,
} from './queries/scheduled_messages.ts'
export { type SearchCandidate, searchContacts, searchMessages, searchTickets } from './queries/search.ts'
export { listTemplates, type TemplateFilter, type TemplateRecord } from './queries/templates.ts'
export {
  findTicket,
  listTickets,
  TICKET_CURSOR,
  type TicketFilter,
  type TicketView,
} from './queries/ticket_views.ts'
export { type ActiveTicket, readContactsOf, readTickets } from './queries/tickets.ts'
export { listTimeline, timelineCursor } from './queries/timeline.ts'
export {
  findToken,
  findTokenByHash,
  findTokens,
  listLiveTokens,
  listTokens,
  listTokensOfUser,
  type TokenIdentity,
  type TokenState,
  tokenStatus,
} from './queries/tokens.ts'
export { findUserPhoto, findVisitorAgent } from './queries/visitor_agent.ts'
export {
  findReadByAgents,
  findTicketVisitor,
  findVisitorMessage,
  listVisitorMessages,
  type ShownMessage,
  type TicketVisitor,
} from './queries/visitors.ts'
export { listWebhookKeys, PUBLIC_KEY_SCHEME, toWebhookKeyRecord } from './queries/webhook_keys.ts'
export { findEvent, findWebhook, listWebhooks, toWebhookRecord, type WebhookRecord } from './queries/webhooks.ts'
export { columnsOf, readRows, toRows, type Where } from './read_rows.ts'
export { type ConfiguredDays, type RetentionName, retentionNames } from './retention/kinds.ts'
export { changeRetention, type RetentionChanges, type RetentionSetting, readRetention } from './retention/settings.ts'
export { maxDays, sweepRetention } from './retention/sweep.ts'
export { openHeaders, sealHeaders } from './sealed_headers.ts'
export { warningOfKeys } from './secrets/node_keys.ts'
export { RotationRefused, rotateSecrets } from './secrets/rotation.ts'
export { readSecretStatus, type SecretStatus } from './secrets/status.ts'
export { isRefusal, parsePostgresUrl } from './servers.ts'
export { switchAgentTool } from './setup/agent_tool.ts'
export { ChangeRefused, StillHeld } from './setup/change_refused.ts'
export {
  type Credentials,
  changeChannel,
  credentialsOf,
  keepChannels,
  removeChannel,
  storeChannel,
} from './setup/channel.ts'
export { changeCompany, removeCompany, storeCompany } from './setup/company.ts'
export { changeCustomField, removeCustomField, storeCustomField } from './setup/custom_field.ts'
export { changeCustomer, removeCustomer, storeCustomer } from './setup/customer.ts'
export { removeExport } from './setup/data_export.ts'
export { type DemoRecords, storeDemo } from './setup/demo.ts'
export { changeEventType, removeEventType, storeEventType } from './setup/event_type.ts'
export { removeMembership, removeProgram } from './setup/loyalty.ts'
export { revokeOperatorKey, storeOperatorKey } from './setup/operator_key.ts'
export { changePipeline, listStages, removePipeline, storePipeline } from './setup/pipeline.ts'
export { changeProject, removeProject, storeProject } from './setup/project.ts'
export { listRecords, type RecordFilter } from './setup/record_list.ts'
export { ConstraintViolation, findRecord } from './setup/records.ts'
export type { CheckRules } from './setup/rule_facts.ts'
export { changeStage, removeStage, storeStage } from './setup/stage.ts'
export { changeTag, removeTag, storeTag } from './setup/tag.ts'
export { changeToken, revokeToken, storeToken } from './setup/token.ts'
export { changeOwnPassword, changeUser, type Photo, removeUser, storeUser } from './setup/user.ts'
export { acceptInvitation, findInvited, type Invited, inviteUser, takeBackInvitation } from './setup/user_invitation.ts'
export { literal, type Sql, sql } from './sql.ts'
export { type Param, plain, planned, type Statement } from './statement.ts'
export { replaceTemplates, type SyncedTemplate } from './templates.ts'
export { DATABASE_MS, DatabaseClock, learnTime, newDate, now, type TimeSample } from './time.ts'
export {
  generateOperatorKey,
  generateTokenSecret,
  hashToken,
  isWellFormedOperatorKey,
  isWellFormedToken,
  type TokenSecret,
} from './token_secret.ts'
export {
  dropVisitorSessionsOver,
  endedVisitorSessions,
  endVisitorSession,
  findVisitorSession,
  identifyVisitor,
  type KnownVisitor,
  keepVisitorSession,
  UNSTORED_S,
  type VisitorPlace,
} from './visitor_sessions.ts'
export { compileWrites, type EntityRef, type Write, type WriteSet } from './write_set.ts'
