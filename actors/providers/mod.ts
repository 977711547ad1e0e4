/** The providers of channels: one adapter each behind one port. */

export { NOT_BEGUN } from './call_not_begun.ts'
export { type Carrier, capabilities, carrierOf, messageTypesOf } from './capabilities.ts'
export { tokenIsOf, withChoice } from './choice.ts'
export { type Composing, composingFor } from './composing.ts'
export { ignoredAccount, ignoredField } from './ignored.ts'
export type { Payload, TemplatePayload } from './payload.ts'
export { type ProbeResult, reasonOf, verdictOf } from './probe_result.ts'
export type {
  Account,
  Credentials,
  FetchLimits,
  HistoryItem,
  HistoryMessage,
  Hook,
  HookResult,
  Inbound,
  InboundEcho,
  InboundFile,
  InboundHistory,
  InboundIgnored,
  InboundMessage,
  InboundStatus,
  Outcome,
  Pace,
  ProvenIds,
  Provider,
  ProviderTemplate,
  ReceivedFile,
  SendFailure,
  Standby,
  TemplateFacts,
  ThreadMove,
  UploadedFile,
} from './provider.ts'
export { type ProviderOptions, Providers } from './table.ts'
export { checkCarried } from './unsupported_message.ts'
export { isListed, originsIn, type VisitorSign } from './web/mod.ts'
