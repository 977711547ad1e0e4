/** The public shape of each record, described once: answers, events, patches and types come from it. */
export {
  agentToolCallRecord,
  agentToolFields,
  agentToolRecord,
  toAgentToolCallRecord,
  toAgentToolRecord,
} from './assistants/agent_tool.ts'
export {
  type AssistantRecord,
  assistantModel,
  assistantName,
  assistantPatch,
  assistantRecord,
  newAssistant,
  toAssistantRecord,
} from './assistants/assistant.ts'
export {
  type AttachedBlockRecord,
  attachedBlock,
  type BlockRecord,
  type BlockVersionRecord,
  blockRecord,
  blockType,
  blockVersionRecord,
  blockVersionSummary,
  toAttachedBlockRecord,
  toBlockRecord,
  toBlockVersionRecord,
} from './assistants/block.ts'
export {
  costLimitsOf,
  projectAssistantBudget,
  projectAssistantBudgetRecord,
  shownBudget,
  storedBudget,
} from './assistants/budget.ts'
export {
  type DeploymentRecord,
  deploymentRecord,
  type NewDeployment,
  newDeployments,
  toDeploymentRecord,
} from './assistants/deployment.ts'
export { playgroundQuestion, playgroundTurn, toPlaygroundTurn } from './assistants/playground.ts'
export { assistantReply, replyQuestion, toAssistantReply } from './assistants/reply.ts'
export { assistantSummary, summaryQuestion, toAssistantSummary } from './assistants/summary.ts'
export {
  reachesRate,
  testResultRecord,
  testRunRecord,
  testRunSummary,
  toTestResultRecord,
  toTestRunRecord,
  toTestRunSummary,
} from './assistants/test_run.ts'
export {
  type NewTestSet,
  newTestCase,
  newTestRun,
  newTestSet,
  testSetRecord,
  testSetSummary,
  toTestSetRecord,
  toTestSetSummary,
} from './assistants/test_set.ts'
export { type TriedToolsRecord, triedBlocks, triedHeld } from './assistants/trial.ts'
export { testSetBounds, trialBounds } from './assistants/trial_bounds.ts'
export {
  assistantTurnRecord,
  assistantTurnSummary,
  toAssistantTurnRecord,
  toAssistantTurnSummary,
  turnOutcomes,
} from './assistants/turn.ts'
export { isCurrency } from './currency.ts'
export { MAX_CUSTOM_FIELDS } from './custom_fields.ts'
export { exampleIds } from './example_ids.ts'
export { externalId } from './external_id.ts'
export {
  type CannedResponseRecord,
  cannedResponseFields,
  cannedResponseRecord,
  operatorCannedResponse,
  toCannedResponseRecord,
} from './inbox/canned_response.ts'
export {
  type DraftRecord,
  draftRecord,
  listedDraft,
  noDraft,
  toDraftRecord,
  type WrittenDraft,
  writtenDraft,
} from './inbox/draft.ts'
export { notificationRecord, toNotificationRecord } from './inbox/notification.ts'
export { type SavedViewRecord, savedViewRecord, toSavedViewRecord } from './inbox/saved_view.ts'
export {
  type ScheduledMessageRecord,
  scheduledMessageRecord,
  toScheduledMessageRecord,
} from './inbox/scheduled_message.ts'
export {
  type KnowledgeImportRecord,
  type KnowledgeNodeRecord,
  knowledgeImportRecord,
  knowledgeNodeRecord,
  toKnowledgeImportRecord,
  toKnowledgeNodeRecord,
  toListedKnowledgeNode,
  treeNode,
} from './knowledge.ts'
export {
  type BroadcastRecord,
  broadcastExample,
  broadcastRecord,
  recipientRecord,
  toBroadcastRecord,
  toRecipientRecord,
} from './messages/broadcast.ts'
export { costTotal, groupedCost, marketingSpending, rateRecord } from './messages/cost.ts'
export { type FlowRecord, flowRecord, toFlowRecord } from './messages/flow.ts'
export { historyImportRecord, toHistoryImportRecord } from './messages/history_import.ts'
export { acceptedMessage, messageRecord, outcomeWarnings, toMessageRecord, warnings } from './messages/message.ts'
export { type TemplateRecord, templateExample, templateRecord, toTemplateRecord } from './messages/template.ts'
export {
  type ContactPatch,
  contactExample,
  contactPatch,
  contactRecord,
  contactWritable,
  MAX_AVATAR_LENGTH,
  ownAddressOf,
  toContactRecord,
} from './people/contact.ts'
export {
  contactMergeExample,
  contactMergeRecord,
  newContactMerge,
  toContactMergeRecord,
} from './people/contact_merge.ts'
export {
  changedCustomer,
  customerColumns,
  customerRecord,
  newCustomer,
  type OperatorCustomer,
  operatorCustomer,
} from './people/customer.ts'
export {
  type FullMembershipRecord,
  ledgerEntryRecord,
  loyaltyProgramRecord,
  membershipRecord,
  membershipStatuses,
  movementKinds,
  operatorLedgerEntry,
  operatorMembership,
  programTypes,
  toFullLedgerEntryRecord,
  toFullMembershipRecord,
  toLedgerEntryRecord,
  toLoyaltyProgramRecord,
  toMembershipRecord,
} from './people/loyalty.ts'
export { type NewContact, newContact } from './people/new_contact.ts'
export {
  type AppointmentRecord,
  appointmentExample,
  appointmentFields,
  appointmentRecord,
  appointmentReminder,
  appointmentStatus,
  toAppointmentRecord,
} from './scheduling/appointment.ts'
export { newOfficeHours, officeHoursRecord } from './scheduling/office_hours.ts'
export { bulkActionRecord, toBulkActionRecord } from './tickets/bulk_action.ts'
export { crmEventExample, crmEventRecord, toCrmEventRecord } from './tickets/crm_event.ts'
export {
  type AgentNoteRecord,
  agentNoteRecord,
  isAboutSomething,
  type NewNote,
  newNote,
  newNoteFields,
  noteExample,
  noteRecord,
  toAgentNoteRecord,
  toNoteRecord,
} from './tickets/note.ts'
export { operatorTag, tagRecord, toTagRecord } from './tickets/tag.ts'
export {
  contactOfTicket,
  type TicketRecord,
  ticketColumns,
  ticketExample,
  ticketHandlers,
  ticketPriorities,
  ticketRecord,
  ticketStage,
  writableColumns,
} from './tickets/ticket.ts'
export { MAX_TICKET_TAGS, type TicketPatch, ticketPatch } from './tickets/ticket_patch.ts'
export { timelineItem, toTimelineItem } from './tickets/timeline_item.ts'
export {
  deliveryRecord,
  deliveryStatus,
  deliveryWithAttempts,
  PUBLIC_KEY_SCHEME,
  signingKeyRecord,
  toDeliveryRecord,
  toDeliveryWithAttempts,
  toSigningKeyRecord,
  toWebhookRecord,
  type WebhookRecord,
  webhookFields,
  webhookMode,
  webhookRecord,
  webhookWithSecret,
} from './webhook.ts'
