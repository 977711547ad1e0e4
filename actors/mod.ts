/** The door of the domain's room. */
export { type ErrorCode, errorCatalogue, isErrorCode } from './error_catalogue.ts'
export { type EventType, eventTypeNames, eventTypes } from './event_types.ts'
export { type ChannelType, channelTypes, type MessageType, messageTypes, messageTypesOf } from './message_types.ts'
export type {
  Admission,
  CommandResult,
  Idempotency,
  OutboundMessage,
  Pool,
  ProjectCommand,
  ProjectReply,
  ProjectRequest,
  RequestProtocol,
  Window,
  WindowName,
  Windows,
} from './project/request.ts'
export { type Scope, scopes } from './scopes.ts'
