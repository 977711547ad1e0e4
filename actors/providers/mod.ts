/** The providers of channels: one adapter each behind one port. */
export { type Carrier, capabilities, carrierOf, messageTypesOf } from './capabilities.ts'
export { NOT_BEGUN } from './not_begun.ts'
export type { Payload, TemplatePayload } from './payload.ts'
export type {
  Account,
  Credentials,
  Hook,
  HookResult,
  Inbound,
  InboundMessage,
  InboundStatus,
  Outcome,
  Pace,
  Provider,
  ProviderTemplate,
  SendFailure,
  UploadedFile,
} from './provider.ts'
export { type ProviderOptions, Providers } from './table.ts'
export { reasonOf, type Verdict, verdictOf } from './verdict.ts'
