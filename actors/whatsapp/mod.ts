/** WhatsApp's Cloud API: what we send in its words, what it says in ours. Holds no state but its connections. */
export { type Outcome, type ProviderTemplate, WhatsAppClient } from './client.ts'
export type { Failure } from './failure.ts'
export type { WhatsAppCredentials } from './graph.ts'
export type { Payload } from './payload.ts'
export { buildMessage, buildRead, type RequestOptions } from './request.ts'
export { challengeAnswer, verifySignature } from './signature.ts'
export { templateVariables } from './template.ts'
export { type InboundMessage, parseWebhook, type StatusUpdate, type WebhookChange } from './webhook.ts'
