/** All entities, which the set-up of MikroORM takes together. One file, because it is one list. */
import { AuditEntry } from './access/audit_entry.ts'
import { Company } from './access/company.ts'
import { ConsoleSession } from './access/console_session.ts'
import { OperatorKey } from './access/operator_key.ts'
import { Project } from './access/project.ts'
import { RateWindow } from './access/rate_window.ts'
import { SignInWindow } from './access/sign_in_window.ts'
import { Token } from './access/token.ts'
import { User } from './access/user.ts'
import { UserInvitation } from './access/user_invitation.ts'
import { UserPhoto } from './access/user_photo.ts'
import { AgentTool } from './assistants/agent_tool.ts'
import { AgentToolCall } from './assistants/agent_tool_call.ts'
import { Assistant } from './assistants/assistant.ts'
import { AssistantBlock } from './assistants/assistant_block.ts'
import { AssistantConversation } from './assistants/assistant_conversation.ts'
import { AssistantDeployment } from './assistants/assistant_deployment.ts'
import { AssistantTestResult } from './assistants/assistant_test_result.ts'
import { AssistantTestRun } from './assistants/assistant_test_run.ts'
import { AssistantTestSet } from './assistants/assistant_test_set.ts'
import { AssistantTool } from './assistants/assistant_tool.ts'
import { AssistantTurn } from './assistants/assistant_turn.ts'
import { Block } from './assistants/block.ts'
import { BlockVersion } from './assistants/block_version.ts'
import { Broadcast } from './broadcasts/broadcast.ts'
import { BroadcastRecipient } from './broadcasts/broadcast_recipient.ts'
import { BroadcastSlice } from './broadcasts/broadcast_slice.ts'
import { Channel } from './channel.ts'
import { DataErasure } from './data_rights/data_erasure.ts'
import { DataErasurePart } from './data_rights/data_erasure_part.ts'
import { DataExport } from './data_rights/data_export.ts'
import { DeadLetter } from './dead_letter.ts'
import { Idempotency } from './idempotency.ts'
import { CannedResponse } from './inbox/canned_response.ts'
import { Draft } from './inbox/draft.ts'
import { InboxEntry } from './inbox/inbox_entry.ts'
import { Notification } from './inbox/notification.ts'
import { SavedView } from './inbox/saved_view.ts'
import { ScheduledMessage } from './inbox/scheduled_message.ts'
import { KnowledgeImport } from './knowledge/knowledge_import.ts'
import { KnowledgeNode } from './knowledge/knowledge_node.ts'
import { KnowledgeTree } from './knowledge/knowledge_tree.ts'
import { Dispatch } from './messages/dispatch.ts'
import { EarlyStatus } from './messages/early_status.ts'
import { Flow } from './messages/flow.ts'
import { HistoryImport } from './messages/history_import.ts'
import { HistoryPart } from './messages/history_part.ts'
import { Media } from './messages/media.ts'
import { MediaFetch } from './messages/media_fetch.ts'
import { MediaThumbnail } from './messages/media_thumbnail.ts'
import { Message } from './messages/message.ts'
import { MessageCost } from './messages/message_cost.ts'
import { Rate } from './messages/rate.ts'
import { Template } from './messages/template.ts'
import { Contact } from './people/contact.ts'
import { ContactMerge } from './people/contact_merge.ts'
import { CustomField } from './people/custom_field.ts'
import { Customer } from './people/customer.ts'
import { LoyaltyEntry } from './people/loyalty_entry.ts'
import { LoyaltyMembership } from './people/loyalty_membership.ts'
import { LoyaltyProgram } from './people/loyalty_program.ts'
import { MergedRecord } from './people/merged_record.ts'
import { VisitorIdentity } from './people/visitor_identity.ts'
import { VisitorSession } from './people/visitor_session.ts'
import { Appointment } from './scheduling/appointment.ts'
import { AppointmentCounter } from './scheduling/appointment_counter.ts'
import { BulkAction } from './tickets/bulk_action.ts'
import { BulkActionSlice } from './tickets/bulk_action_slice.ts'
import { CrmEvent } from './tickets/crm_event.ts'
import { CrmEventType } from './tickets/crm_event_type.ts'
import { Note } from './tickets/note.ts'
import { Pipeline } from './tickets/pipeline.ts'
import { PipelineStage } from './tickets/pipeline_stage.ts'
import { Tag } from './tickets/tag.ts'
import { Ticket } from './tickets/ticket.ts'
import { TicketActivity } from './tickets/ticket_activity.ts'
import { TicketRead } from './tickets/ticket_read.ts'
import { Attempt } from './webhooks/attempt.ts'
import { Delivery } from './webhooks/delivery.ts'
import { Event } from './webhooks/event.ts'
import { PollAcknowledgement } from './webhooks/poll_acknowledgement.ts'
import { PollGroup } from './webhooks/poll_group.ts'
import { Subscription } from './webhooks/subscription.ts'
import { WebhookKey } from './webhooks/webhook_key.ts'

export type { MonthlyCap, ProjectLimits } from './access/project.ts'
export type { BroadcastStatus, PausedReason } from './broadcasts/broadcast.ts'
export type { RecipientStatus } from './broadcasts/broadcast_recipient.ts'
export type { SliceRecipient } from './broadcasts/broadcast_slice.ts'
export type { ChannelStatus } from './channel.ts'
export type { FlowStatus } from './messages/flow.ts'
export { type MessageOrigin, type MessageStatus, messageOrigins, type Price } from './messages/message.ts'
export type { BulkActionStatus, BulkChange, BulkRefusal } from './tickets/bulk_action.ts'
export type { DeliveryStatus } from './webhooks/delivery.ts'
export {
  NO_ADDRESS,
  type Recovery,
  type WebhookFormat,
  type WebhookMode,
  type WebhookOrdering,
  type WebhookPayload,
} from './webhooks/subscription.ts'
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
  AssistantConversation,
  AssistantDeployment,
  AssistantTestResult,
  AssistantTestRun,
  AssistantTestSet,
  AssistantTool,
  AssistantTurn,
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

export type { AuditActorKind } from './access/audit_entry.ts'
export type { OperatorRole } from './access/operator_key.ts'
export type { ProjectAssistantBudget } from './access/project.ts'
export type { RateCount, RateCounts } from './access/rate_window.ts'
export type { SignInAttempt } from './access/sign_in_window.ts'
export type { AgentToolMethod } from './assistants/agent_tool.ts'
export type { AssistantBudget } from './assistants/assistant.ts'
export type { DeploymentAnswers } from './assistants/assistant_deployment.ts'
export type { TestedStep, TestFailure } from './assistants/assistant_test_result.ts'
export type { TestRunState } from './assistants/assistant_test_run.ts'
export type { TestCase, TestExpectation, TestFixture, TestStep } from './assistants/assistant_test_set.ts'
export type { TurnOutcome, TurnStep } from './assistants/assistant_turn.ts'
export type { IgnoredCallback } from './channel.ts'
export type { RightsKind } from './data_rights/data_erasure.ts'
export type { DraftAttachment, DraftKind } from './inbox/draft.ts'
export type { NotificationData, NotificationType } from './inbox/notification.ts'
export type { ViewFilter } from './inbox/saved_view.ts'
export type { ScheduledMessageStatus } from './inbox/scheduled_message.ts'
export type { ImportOrigin, ImportStatus } from './knowledge/knowledge_import.ts'
export type { IndexStatus, KnowledgeNodeType } from './knowledge/knowledge_node.ts'
export { historyImportStatuses } from './messages/history_import.ts'
export {
  type Consent,
  type SendTo,
  type Thread,
  type ThreadHolder,
  threadHolders,
  type VisitorBrowser,
} from './people/contact.ts'
export type { ContactMergeReason, ContactMergeStatus, MergeChanges } from './people/contact_merge.ts'
export type { CustomFieldOwner } from './people/custom_field.ts'
export type { MovementKind } from './people/loyalty_entry.ts'
export type { MembershipStatus } from './people/loyalty_membership.ts'
export type { MovedKind } from './people/merged_record.ts'
export type {
  AppointmentModality,
  AppointmentStatus,
  PaymentStatus,
  Reminder,
} from './scheduling/appointment.ts'
export type { EventField, FieldType } from './tickets/crm_event_type.ts'
export type { NoteAttachment, NoteType } from './tickets/note.ts'
export type { StageRules } from './tickets/pipeline_stage.ts'
export type {
  AmountStatus,
  ConversationSummary,
  TicketHandler,
  TicketPriority,
  TicketResolution,
} from './tickets/ticket.ts'
export {
  AgentTool,
  AgentToolCall,
  Appointment,
  AppointmentCounter,
  Assistant,
  AssistantBlock,
  AssistantConversation,
  AssistantDeployment,
  AssistantTestResult,
  AssistantTestRun,
  AssistantTestSet,
  AssistantTool,
  AssistantTurn,
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
