/** The door of the domain's room. */

import type {} from './protocols.ts'

export { type ArgumentViolation, ToolClient } from './agent_tools/mod.ts'
export {
  type AssistantService,
  type ContentItem,
  HttpAssistants,
  Languages,
  localAssistants,
  missingBlock,
  readInstructions,
  readPayload,
  renderContent,
  type ServiceRecord,
  type Subject,
  type ToolsMode,
  type Tried,
} from './assistants/mod.ts'
export { broadcastActor } from './broadcast/actor.ts'
export { BulkRate } from './broadcast/bulk_rate.ts'
export type { BroadcastProtocol } from './broadcast/protocol.ts'
export { type ChannelOptions, channelActor } from './channel/actor.ts'
export type { ChannelHealth, ChannelProtocol } from './channel/protocol.ts'
export type { SendCall } from './channel/provider_calls.ts'
export {
  type AskProject,
  type AssistantServices,
  AssistantWork,
  conversationActor,
  conversationWaits,
  hearAssistantTyping,
  QuestionFiles,
  runTurn,
  summarize,
  TypingPeople,
  tellAssistantTyping,
  type Waits as ConversationWaits,
} from './conversation/mod.ts'
export { forgetRates, isAmount, marketNamed, OTHER, withoutOther } from './costs/mod.ts'
export { type ErasureProtocol, type ExportProtocol, erasureActor, exportActor } from './data_rights/mod.ts'
export { actorKinds, DEAD_LETTERS, type DeadLettersProtocol, deadLettersActor } from './dead_letters.ts'
export { type ErrorCode, errorCatalogue, isErrorCode, publicCode } from './error_catalogue.ts'
export { errorDetails } from './error_details.ts'
export { scopeOfEvent } from './event_types/access.ts'
export { incomingMessage } from './event_types/messages.ts'
export { eventEntryProblem, matchedTypes } from './event_types/patterns.ts'
export { type EventType, eventTypeNames, eventTypes } from './event_types.ts'
export { Foreground } from './foreground.ts'
export { Converter } from './knowledge/convert/mod.ts'
export { Importer, type ImporterOptions, MAX_DOCUMENT } from './knowledge/import/mod.ts'
export { KnowledgeIndexer } from './knowledge/mod.ts'
export { type MailProtocol, mailActor, smtpMailer, userInvitedMail } from './mail/mod.ts'
export {
  charsetOf,
  isMediaLink,
  kindsOf,
  MAX_FILE_NAME_LENGTH,
  mediaKinds,
  mediaLink,
  openUploaded,
  safeName,
  sniffFile,
  typeOf,
} from './media/mod.ts'
export { type ChannelType, channelTypes, type MessageType, messageTypes } from './message_types.ts'
export {
  type CallOptions,
  HttpModels,
  isPrice,
  type ModelAnswer,
  type ModelDescription,
  type ModelEntry,
  type ModelFailure,
  type ModelFailureCode,
  type ModelFinish,
  type ModelInput,
  type ModelMessage,
  type ModelPart,
  type ModelPrice,
  type ModelQuestion,
  type ModelRecording,
  type Models,
  type ModelTool,
  type ModelToolCall,
  type ModelTranscript,
  type ModelUsage,
} from './models/mod.ts'
export { beginOfDay, type Opening, openingAt } from './office_hours/mod.ts'
export { isUrl, OutboundGuard, parseUrl, writeStream } from './outbound/mod.ts'
export { type ProjectOptions, projectActor } from './project/actor.ts'
export type { AssistantChange } from './project/assistants/parts.ts'
export { rehearse } from './project/assistants/rehearse.ts'
export type { CreateBroadcast } from './project/broadcasts/feature.ts'
export { maxBulkTickets, maxRunningBulkActions } from './project/bulk_actions/bounds.ts'
export { type ChannelChoice, findCloudChannel, pickCloudChannel } from './project/channels/cloud_channel.ts'
export { readMarketing } from './project/costs/read_marketing.ts'
export { customFieldViolations } from './project/definitions/custom_fields.ts'
export { MAX_STAGE_TEXT_LENGTH, requirableField, settableField } from './project/definitions/rule_fields.ts'
export { FIELD_KEY, parseTarget, targetsOf } from './project/definitions/targets.ts'
export type { FlowChange } from './project/flows/feature.ts'
export { MAX_CONTENT_LENGTH } from './project/knowledge/bounds.ts'
export type {
  CommandAnswering,
  Conclusion,
  OperatorAnswer,
  OperatorCommand,
  ProjectCommand,
  ProjectProtocol,
  ProjectRequest,
  Refreshed,
  RequestProtocol,
} from './project/protocol.ts'
export { isSameRequest } from './project/requests/answers.ts'
export type { Claim } from './project/requests/operations.ts'
export type { Claimed, ClaimOperation, Idempotency, ProjectReply } from './project/requests/request.ts'
export { leavesKeyFree, replay, statusOf, stored } from './project/requests/stored_answer.ts'
export { LAST_POSITION } from './project/saved_views/feature.ts'
export { maxScheduledOfTicket } from './project/scheduled_messages/bounds.ts'
export { timeZoneOf } from './project/scheduling/local_time.ts'
export { namesReminderFields, reminderFields } from './project/scheduling/reminder_text.ts'
export type { TemplateChange } from './project/templates/managed_templates.ts'
export { templateName } from './project/templates/template_named.ts'
export { toTicketRecord } from './project/tickets/ticket_record.ts'
export type { LeakedToken } from './project/tokens/revoke_leaked_tokens.ts'
export type { Admission } from './project/turn/admission.ts'
export type { CommandResult } from './project/turn/command_result.ts'
export { pollChannel } from './project/turn/events.ts'
export type { Pool, Window, WindowName, Windows } from './project/turn/rate_windows.ts'
export { HtmlReader, type OpenFile, parseMailbox, parseSmtpUrl } from './providers/email/mod.ts'
export { GRAPH_VERSION } from './providers/graph/call.ts'
export { MediaProviders } from './providers/media.ts'
export {
  type Composing,
  type Credentials,
  carrierOf,
  checkCarried,
  composingFor,
  type Hook,
  messageTypesOf,
  type Payload,
  type Provider,
  Providers,
  type ProviderTemplate,
  reasonOf,
  type SendFailure as ProviderFailure,
  type ThreadMove,
  verdictOf,
} from './providers/mod.ts'
export { MAX_LEVELS, nestsTooDeep } from './providers/nesting.ts'
export type { ProviderFile, ProviderMedia } from './providers/provider_media.ts'
export { SIGNED_CALL_HEADER, signCall, verifyCall } from './providers/signed_call.ts'
export {
  answerForVisitors,
  contentOf,
  contextOf,
  hearVisitors,
  hearVisitorTyping,
  type IdentityClaims,
  isListed,
  newVisitorId,
  newVisitorToken,
  openNote,
  originsIn,
  readIdentity,
  readVisitorBrowser,
  readVisitorInput,
  readVisitorToken,
  refOf,
  sealNote,
  sourcesIn,
  tellVisitor,
  tellVisitorTyping,
  uploadsIn,
  type VisitorAgent,
  type VisitorCall,
  type VisitorFile,
  type VisitorInput,
  type VisitorMessage,
  type VisitorNote,
  VisitorQuestions,
  type VisitorSign,
  type VisitorToken,
  visitorRef,
  withLinks,
} from './providers/web/mod.ts'
export {
  buildRead,
  EXAMPLE_FILES,
  type FileFormat,
  type FileToUpload,
  isNumber,
  placeholders,
  type TemplateDraft,
  templateVariables,
  WhatsAppClient,
  type WhatsAppCredentials,
  WhatsAppFlows,
  WhatsAppTemplates,
  withExamples,
} from './providers/whatsapp/mod.ts'
export { MediaFetcher, type MediaFetcherOptions } from './received_files/mod.ts'
export * from './records/mod.ts'
export * from './schema/mod.ts'
export { type Scope, scopes } from './scopes.ts'
export { beginSignIn, signInActor } from './sign_in/mod.ts'
export { type SubscriptionOptions, subscriptionActor } from './subscription/actor.ts'
export type { SubscriptionProtocol } from './subscription/protocol.ts'
export { caseOfTicket, type TestRunsProtocol, testRunsActor } from './test_runs/mod.ts'
export { makeThumbnail, PICTURES } from './thumbnails/make_thumbnail.ts'
export { hasAtMost } from './values/characters.ts'
export { isExactNumber } from './values/exact_number.ts'
export { isObject } from './values/is_object.ts'
export { BSUID, E164, whatsAppIdExpected } from './values/phone.ts'
export { envelopeOf, headerViolations, jwkOf, presenterFor, WebhookSender } from './webhook/mod.ts'
