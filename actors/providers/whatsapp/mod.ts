/** Adapter of WhatsApp's Cloud API. Holds no state but its connections. */

export { challengeAnswer, verifySignature } from '../graph/signature.ts'
export { WhatsAppClient } from './client.ts'
export { WhatsAppFlows } from './flows.ts'
export type { WhatsAppCredentials } from './graph.ts'
export { WhatsApp } from './provider.ts'
export { buildMessage, buildRead, type RequestOptions } from './request.ts'
export {
  fileKindOf,
  flowButtonIndexes,
  isNumber,
  placeholders,
  refusedVariables,
  templateVariables,
} from './template.ts'
export { EXAMPLE_FILES, type FileFormat, withExamples } from './template_examples.ts'
export { type TemplateDraft, WhatsAppTemplates } from './templates.ts'
export type { FileToUpload } from './uploads.ts'
export { parseWebhook } from './webhook.ts'
