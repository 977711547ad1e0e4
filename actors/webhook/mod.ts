/** The stateless parts of outbound webhooks: secrets, signatures, envelopes, one attempt, and the retry schedule. */
export { type AttemptRequest, type AttemptResult, WebhookSender } from './attempt.ts'
export { type AttemptEnd, abandon, endAttempt } from './attempt_end.ts'
export { envelopeOf, testData } from './envelope.ts'
export { envelopes } from './envelopes.ts'
export { type HeaderViolation, headerViolations } from './headers.ts'
export { nextAttemptAt } from './retry_schedule.ts'
export { makeSecret, secretPrefix } from './secret.ts'
export { type SignatureHeaders, signatureHeaders } from './signature.ts'
