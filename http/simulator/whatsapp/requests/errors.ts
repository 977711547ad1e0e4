import { randomBytes } from 'node:crypto'
import type { Answer } from '../../answer.ts'

type ErrorEntry = { status: number; title: string; details: string }

/** Codes of the Cloud API with Meta's documented HTTP statuses and texts. */
const ERRORS: Record<number, ErrorEntry> = {
  0: { status: 401, title: 'AuthException', details: 'We were unable to authenticate the app user.' },
  1: { status: 400, title: 'API Unknown', details: 'Invalid request or possible server error.' },
  2: { status: 503, title: 'API Service', details: 'Temporary due to downtime or due to being overloaded.' },
  3: { status: 500, title: 'API Method', details: 'Capability or permissions issue.' },
  4: { status: 429, title: 'API Too Many Calls', details: 'The app has reached its API call rate limit.' },
  10: { status: 403, title: 'Permission Denied', details: 'Permission is either not granted or has been removed.' },
  100: {
    status: 400,
    title: 'Invalid parameter',
    details: 'The request included unsupported or misspelled parameters.',
  },
  190: { status: 401, title: 'Invalid OAuth access token', details: 'Your access token has expired.' },
  200: { status: 403, title: 'API Permission', details: 'Permission is either not granted or has been removed.' },
  368: { status: 403, title: 'Temporarily blocked for policies violations', details: 'The account was restricted.' },
  2200: { status: 400, title: 'Callback verification failed', details: 'The callback URL could not be validated.' },
  2500: { status: 400, title: 'Unknown path components', details: 'The object has no such edge.' },
  80007: { status: 429, title: 'Rate limit issues', details: 'The business account has reached its rate limit.' },
  130429: { status: 429, title: 'Rate limit hit', details: 'Cloud API message throughput has been reached.' },
  130472: {
    status: 400,
    title: "User's number is part of an experiment",
    details: "Message was not sent because the user's number is part of an experiment.",
  },
  131000: { status: 500, title: 'Something went wrong', details: 'Message failed to send due to an unknown error.' },
  131005: { status: 403, title: 'Access denied', details: 'Permission is either not granted or has been removed.' },
  131008: { status: 400, title: 'Required parameter is missing', details: 'A required parameter is missing.' },
  131009: { status: 400, title: 'Parameter value is not valid', details: 'One or more parameter values are invalid.' },
  131016: { status: 500, title: 'Service unavailable', details: 'A service is temporarily unavailable.' },
  131021: { status: 400, title: 'Recipient cannot be sender', details: 'Sender and recipient are the same number.' },
  131026: { status: 400, title: 'Message undeliverable', details: 'Unable to deliver message.' },
  131031: { status: 403, title: 'Account has been locked', details: 'The business account has been restricted.' },
  131042: { status: 400, title: 'Business eligibility payment issue', details: 'There was a payment method error.' },
  131047: {
    status: 400,
    title: 'Re-engagement message',
    details: 'Message failed to send because more than 24 hours have passed since the customer last replied.',
  },
  131048: {
    status: 429,
    title: 'Spam rate limit hit',
    details: 'Too many messages of this number were flagged as spam.',
  },
  131049: {
    status: 400,
    title: 'Meta chose not to deliver',
    details: 'This message was not delivered to maintain healthy ecosystem engagement.',
  },
  131051: { status: 400, title: 'Unsupported message type', details: 'Message type is currently not supported.' },
  131052: { status: 400, title: 'Media download error', details: 'Unable to download the media sent by the user.' },
  131053: { status: 400, title: 'Media upload error', details: 'Unable to upload the media used in the message.' },
  131050: {
    status: 400,
    title: 'User stopped marketing messages',
    details: 'The recipient chose to stop receiving marketing messages from this business.',
  },
  131056: {
    status: 429,
    title: '(Business Account, Consumer Account) pair rate limit hit',
    details: 'Too many messages sent from this phone number to the same recipient in a short period of time.',
  },
  131057: { status: 500, title: 'Account in maintenance mode', details: 'Business Account is in maintenance mode.' },
  132000: {
    status: 400,
    title: 'Number of parameters does not match the expected number of params',
    details: 'The number of variable parameter values differs from the template definition.',
  },
  132001: {
    status: 404,
    title: 'Template name does not exist in the translation',
    details: 'The template does not exist in the specified language or has not been approved.',
  },
  132005: { status: 400, title: 'Translated text too long', details: 'Translated text is too long.' },
  132007: { status: 400, title: 'Template content policy violated', details: 'Template content violates a policy.' },
  132012: {
    status: 400,
    title: 'Parameter format does not match format in the created template',
    details: 'Variable parameter values are formatted incorrectly.',
  },
  132015: { status: 400, title: 'Template is paused', details: 'Template is paused due to low quality.' },
  132016: {
    status: 400,
    title: 'Template is disabled',
    details: 'Template was paused too many times due to low quality.',
  },
  132068: { status: 400, title: 'Flow is blocked', details: 'Flow is in blocked state.' },
  132069: {
    status: 400,
    title: 'Flow is throttled',
    details: 'Flow is in throttled state; 10 messages were sent this hour.',
  },
  133010: {
    status: 400,
    title: 'Account not registered',
    details: 'The phone number is not registered on the platform.',
  },
}

const UNLISTED: ErrorEntry = { status: 400, title: 'Unknown error', details: 'No details are known for this code.' }

/**
 * Codes that Meta reports after a 200, in a `failed` status; all others refuse the request itself.
 * (Inferred from reports of integrators; Meta documents both ways.)
 */
const ASYNCHRONOUS = new Set([130472, 131026, 131047, 131049, 131052, 131053])

export function isAsynchronous(code: number): boolean {
  return ASYNCHRONOUS.has(code)
}

export function titleOf(code: number): string {
  return (ERRORS[code] ?? UNLISTED).title
}

export function listedCodes(): number[] {
  return Object.keys(ERRORS).map(Number)
}

type GraphErrorFields = { details?: string; message?: string; status?: number; retry_after?: number; subcode?: number }

/** A refusal in Meta's format; thrown by the Graph routes and answered by `graphErrorAnswer`. */
export class GraphError extends Error {
  readonly code: number
  readonly fields: GraphErrorFields
  constructor(code: number, fields: GraphErrorFields = {}) {
    const title = titleOf(code)
    // Token errors come from Graph itself, without the number in front.
    super(fields.message ?? (code === 190 ? title : `(#${code}) ${title}`))
    this.code = code
    this.fields = fields
  }
}

/** The body and status of Meta's answer; `retry_after` (seconds) becomes the header. */
export function graphErrorAnswer(error: GraphError): Answer {
  const entry = ERRORS[error.code] ?? UNLISTED
  const { details, status, retry_after, subcode } = error.fields
  return {
    status: status ?? entry.status,
    ...(retry_after === undefined ? {} : { headers: { 'retry-after': String(retry_after) } }),
    body: {
      error: {
        message: error.message,
        type: subcode === 33 ? 'GraphMethodException' : 'OAuthException',
        code: error.code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        // Token and object errors come from Graph itself, without a messaging product.
        ...(error.code === 190 || error.code === 0 || subcode === 33
          ? {}
          : { error_data: { messaging_product: 'whatsapp', details: details ?? entry.details } }),
        fbtrace_id: `A${randomBytes(16).toString('base64url')}`,
      },
    },
  }
}

/** An entry of the `errors` list of a failed status. */
export function webhookError(code: number): Record<string, unknown> {
  const entry = ERRORS[code] ?? UNLISTED
  return {
    code,
    title: entry.title,
    message: entry.title,
    error_data: { details: entry.details },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  }
}
