import { AgentTool } from './agent_tool.ts'
import { AgentToolCall } from './agent_tool_call.ts'
import { Appointment } from './appointment.ts'
import { AppointmentCounter } from './appointment_counter.ts'
import { Assistant } from './assistant.ts'
import { AssistantBlock } from './assistant_block.ts'
import { AssistantTool } from './assistant_tool.ts'
import { Attempt } from './attempt.ts'
import { AuditEntry } from './audit_entry.ts'
import { Block } from './block.ts'
import { BlockVersion } from './block_version.ts'
import { Broadcast } from './broadcast.ts'
import { BroadcastRecipient } from './broadcast_recipient.ts'
import { BroadcastSlice } from './broadcast_slice.ts'
import { BulkAction } from './bulk_action.ts'
import { BulkActionSlice } from './bulk_action_slice.ts'
import { CannedResponse } from './canned_response.ts'
import { Channel } from './channel.ts'
import { Company } from './company.ts'
import { ConsoleSession } from './console_session.ts'
import { Contact } from './contact.ts'
import { ContactMerge } from './contact_merge.ts'
import { CrmEvent } from './crm_event.ts'
import { CrmEventType } from './crm_event_type.ts'
import { CustomField } from './custom_field.ts'
import { Customer } from './customer.ts'
import { DataErasure } from './data_erasure.ts'
import { DataErasurePart } from './data_erasure_part.ts'
import { DataExport } from './data_export.ts'
import { DeadLetter } from './dead_letter.ts'
import { Delivery } from './delivery.ts'
import { Dispatch } from './dispatch.ts'
import { Draft } from './draft.ts'
import { EarlyStatus } from './early_status.ts'
import { Event } from './event.ts'
import { Flow } from './flow.ts'
import { HistoryImport } from './history_import.ts'
import { HistoryPart } from './history_part.ts'
import { Idempotency } from './idempotency.ts'
import { InboxEntry } from './inbox_entry.ts'
import { KnowledgeImport } from './knowledge_import.ts'
import { KnowledgeNode } from './knowledge_node.ts'
import { KnowledgeTree } from './knowledge_tree.ts'
import { LoyaltyEntry } from './loyalty_entry.ts'
import { LoyaltyMembership } from './loyalty_membership.ts'
import { LoyaltyProgram } from './loyalty_program.ts'
import { Media } from './media.ts'
import { MediaFetch } from './media_fetch.ts'
import { MediaThumbnail } from './media_thumbnail.ts'
import { MergedRecord } from './merged_record.ts'
import { Message } from './message.ts'
import { MessageCost } from './message_cost.ts'
import { Note } from './note.ts'
import { Notification } from './notification.ts'
import { OperatorKey } from './operator_key.ts'
import { Pipeline } from './pipeline.ts'
import { PipelineStage } from './pipeline_stage.ts'
import { PollAcknowledgement } from './poll_acknowledgement.ts'
import { PollGroup } from './poll_group.ts'
import { Project } from './project.ts'
import { Rate } from './rate.ts'
import { RateWindow } from './rate_window.ts'
import { SavedView } from './saved_view.ts'
import { ScheduledMessage } from './scheduled_message.ts'
import { SignInWindow } from './sign_in_window.ts'
import { Subscription } from './subscription.ts'
import { Tag } from './tag.ts'
import { Template } from './template.ts'
import { Ticket } from './ticket.ts'
import { TicketActivity } from './ticket_activity.ts'
import { TicketRead } from './ticket_read.ts'
import { Token } from './token.ts'
import { User } from './user.ts'
import { UserInvitation } from './user_invitation.ts'
import { UserPhoto } from './user_photo.ts'
import { VisitorIdentity } from './visitor_identity.ts'
import { VisitorSession } from './visitor_session.ts'
import { WebhookKey } from './webhook_key.ts'

export type { BroadcastStatus, PausedReason } from './broadcast.ts'
export type { RecipientStatus } from './broadcast_recipient.ts'
export type { SliceRecipient } from './broadcast_slice.ts'
export type { BulkActionStatus, BulkChange, BulkRefusal } from './bulk_action.ts'
export type { ChannelStatus } from './channel.ts'
export type { DeliveryStatus } from './delivery.ts'
export type { FlowStatus } from './flow.ts'
export { type MessageOrigin, type MessageStatus, messageOrigins, type Price } from './message.ts'
export type { MonthlyCap, ProjectLimits } from './project.ts'
export {
  NO_ADDRESS,
  type Recovery,
  type WebhookFormat,
  type WebhookMode,
  type WebhookOrdering,
  type WebhookPayload,
} from './subscription.ts'
/** The entities that MikroORM maps. A new entity is added here and in a migration. */
export const entities = [
  Company,
  Project,
  User,
  UserInvitation,
  UserPhoto,
  VisitorIdentity,
  VisitorSession,
  WebhookKey,
  Token,
  Channel,
  Template,
  Flow,
  Contact,
  ContactMerge,
  MergedRecord,
  Message,
  Pipeline,
  PipelineStage,
  PollAcknowledgement,
  PollGroup,
  Tag,
  Customer,
  CustomField,
  Ticket,
  TicketActivity,
  InboxEntry,
  TicketRead,
  Draft,
  CannedResponse,
  SavedView,
  Notification,
  ScheduledMessage,
  Note,
  CrmEventType,
  CrmEvent,
  Assistant,
  Block,
  BlockVersion,
  AssistantBlock,
  KnowledgeImport,
  KnowledgeNode,
  KnowledgeTree,
  Media,
  MediaFetch,
  MediaThumbnail,
  HistoryImport,
  HistoryPart,
  Dispatch,
  EarlyStatus,
  Broadcast,
  BroadcastSlice,
  BroadcastRecipient,
  BulkAction,
  BulkActionSlice,
  Event,
  Subscription,
  Delivery,
  Attempt,
  Idempotency,
  RateWindow,
  ConsoleSession,
  SignInWindow,
  DeadLetter,
  DataErasure,
  DataErasurePart,
  DataExport,
  AgentTool,
  AssistantTool,
  AgentToolCall,
  Appointment,
  AppointmentCounter,
  LoyaltyProgram,
  LoyaltyMembership,
  LoyaltyEntry,
  AuditEntry,
  OperatorKey,
  Rate,
  MessageCost,
]

export type { AgentToolMethod } from './agent_tool.ts'
export type {
  AppointmentModality,
  AppointmentStatus,
  PaymentStatus,
  Reminder,
} from './appointment.ts'
export type { AuditActorKind } from './audit_entry.ts'
export type { IgnoredCallback } from './channel.ts'
export {
  type Consent,
  type SendTo,
  type Thread,
  type ThreadHolder,
  threadHolders,
  type VisitorBrowser,
} from './contact.ts'
export type { ContactMergeReason, ContactMergeStatus, MergeChanges } from './contact_merge.ts'
export type { EventField, FieldType } from './crm_event_type.ts'
export type { CustomFieldOwner } from './custom_field.ts'
export type { RightsKind } from './data_erasure.ts'
export type { DraftAttachment, DraftKind } from './draft.ts'
export { historyImportStatuses } from './history_import.ts'
export type { ImportOrigin, ImportStatus } from './knowledge_import.ts'
export type { IndexStatus, KnowledgeNodeType } from './knowledge_node.ts'
export type { MovementKind } from './loyalty_entry.ts'
export type { MembershipStatus } from './loyalty_membership.ts'
export type { MovedKind } from './merged_record.ts'
export type { NoteAttachment, NoteType } from './note.ts'
export type { NotificationData, NotificationType } from './notification.ts'
export type { OperatorRole } from './operator_key.ts'
export type { StageRules } from './pipeline_stage.ts'
export type { RateCount, RateCounts } from './rate_window.ts'
export type { ViewFilter } from './saved_view.ts'
export type { ScheduledMessageStatus } from './scheduled_message.ts'
export type { SignInAttempt } from './sign_in_window.ts'
export type { AmountStatus, ConversationSummary, TicketPriority, TicketResolution } from './ticket.ts'
export {
  AgentTool,
  AgentToolCall,
  Appointment,
  AppointmentCounter,
  Assistant,
  AssistantBlock,
  AssistantTool,
  Attempt,
  AuditEntry,
  Block,
  BlockVersion,
  Broadcast,
  BroadcastRecipient,
  BroadcastSlice,
  BulkAction,
  BulkActionSlice,
  CannedResponse,
  Channel,
  Company,
  Contact,
  ContactMerge,
  CrmEvent,
  CrmEventType,
  Customer,
  CustomField,
  DataErasure,
  DataErasurePart,
  DataExport,
  DeadLetter,
  Delivery,
  Dispatch,
  Draft,
  EarlyStatus,
  Event,
  Flow,
  HistoryImport,
  HistoryPart,
  Idempotency,
  InboxEntry,
  KnowledgeImport,
  KnowledgeNode,
  KnowledgeTree,
  LoyaltyEntry,
  LoyaltyMembership,
  LoyaltyProgram,
  Media,
  MediaFetch,
  MediaThumbnail,
  MergedRecord,
  Message,
  MessageCost,
  Note,
  Notification,
  OperatorKey,
  Pipeline,
  PipelineStage,
  PollAcknowledgement,
  PollGroup,
  Project,
  Rate,
  RateWindow,
  SavedView,
  ScheduledMessage,
  SignInWindow,
  Subscription,
  Tag,
  Template,
  Ticket,
  TicketActivity,
  TicketRead,
  Token,
  User,
  UserInvitation,
  UserPhoto,
  VisitorIdentity,
  VisitorSession,
  WebhookKey,
}
