/** The public shape of each record, described once: answers, events, patches and types come from it. */
export {
  agentToolCallRecord,
  agentToolFields,
  agentToolRecord,
  toAgentToolCallRecord,
  toAgentToolRecord,
} from './agent_tool.ts'
export {
  type AppointmentRecord,
  appointmentExample,
  appointmentFields,
  appointmentRecord,
  appointmentReminder,
  appointmentStatus,
  toAppointmentRecord,
} from './appointment.ts'
export {
  type AssistantRecord,
  assistantModel,
  assistantName,
  assistantPatch,
  assistantRecord,
  newAssistant,
  toAssistantRecord,
} from './assistant.ts'
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
} from './block.ts'
export {
  type BroadcastRecord,
  broadcastExample,
  broadcastRecord,
  recipientRecord,
  toBroadcastRecord,
  toRecipientRecord,
} from './broadcast.ts'
export { bulkActionRecord, toBulkActionRecord } from './bulk_action.ts'
export {
  type CannedResponseRecord,
  cannedResponseFields,
  cannedResponseRecord,
  operatorCannedResponse,
  toCannedResponseRecord,
} from './canned_response.ts'
export {
  type ContactPatch,
  contactExample,
  contactPatch,
  contactRecord,
  contactWritable,
  MAX_AVATAR_LENGTH,
  ownAddressOf,
  toContactRecord,
} from './contact.ts'
export { contactMergeExample, contactMergeRecord, newContactMerge, toContactMergeRecord } from './contact_merge.ts'
export { costTotal, groupedCost, marketingSpending, rateRecord } from './cost.ts'
export { crmEventExample, crmEventRecord, toCrmEventRecord } from './crm_event.ts'
export { isCurrency } from './currency.ts'
export { MAX_CUSTOM_FIELDS } from './custom_fields.ts'
export {
  changedCustomer,
  customerColumns,
  customerRecord,
  newCustomer,
  type OperatorCustomer,
  operatorCustomer,
} from './customer.ts'
export {
  type DraftRecord,
  draftRecord,
  listedDraft,
  noDraft,
  toDraftRecord,
  type WrittenDraft,
  writtenDraft,
} from './draft.ts'
export { exampleIds } from './example_ids.ts'
export { externalId } from './external_id.ts'
export { type FlowRecord, flowRecord, toFlowRecord } from './flow.ts'
export { historyImportRecord, toHistoryImportRecord } from './history_import.ts'
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
} from './loyalty.ts'
export { acceptedMessage, messageRecord, outcomeWarnings, toMessageRecord, warnings } from './message.ts'
export { type NewContact, newContact } from './new_contact.ts'
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
} from './note.ts'
export { notificationRecord, toNotificationRecord } from './notification.ts'
export { newOfficeHours, officeHoursRecord } from './office_hours.ts'
export { type SavedViewRecord, savedViewRecord, toSavedViewRecord } from './saved_view.ts'
export { type ScheduledMessageRecord, scheduledMessageRecord, toScheduledMessageRecord } from './scheduled_message.ts'
export { operatorTag, tagRecord, toTagRecord } from './tag.ts'
export { type TemplateRecord, templateExample, templateRecord, toTemplateRecord } from './template.ts'
export {
  contactOfTicket,
  type TicketRecord,
  ticketColumns,
  ticketExample,
  ticketPriorities,
  ticketRecord,
  ticketStage,
  writableColumns,
} from './ticket.ts'
export { MAX_TICKET_TAGS, type TicketPatch, ticketPatch } from './ticket_patch.ts'
export { timelineItem, toTimelineItem } from './timeline_item.ts'
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
