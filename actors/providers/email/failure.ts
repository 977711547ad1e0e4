/** Classifies refused or broken SMTP conversations. */
import { Refusal } from '../../../runtime/mod.ts'
import { NOT_BEGUN } from '../call_not_begun.ts'
import type { SendFailure } from '../provider.ts'

/** Progress of the mail itself. */
export type Progress = {
  /** True when all of it was handed over, so the server may have read the final dot. Before that no server keeps a mail. */
  complete: boolean
}

/** Errors of nodemailer. `message` repeats the server's reply, never the address of the server. */
export type SmtpError = Error & {
  code?: string
  originalCode?: string
  responseCode?: number
  response?: string
  command?: string
}

/** The file to attach is not available: thrown when it is opened, found again in the error of the mail. */
export class AttachmentFailed extends Error {
  readonly failure: SendFailure

  constructor(kind: 'retry' | 'refuse', slug: string, message: string, scope?: 'message') {
    super(message)
    this.name = 'AttachmentFailed'
    this.failure = { kind, code: slug, message, maybe_accepted: false, ...(scope && { scope }) }
  }
}

/** Another node has the channel by now. The server was not given the mail. */
export class NotBegun extends Error {}

const MAX_MESSAGE_LENGTH = 500
/** Greylisting servers accept an unknown sender again after some minutes, five by default. */
const GREYLISTED_S = 300
/** Replies to a client that did not sign in, or not well enough (RFC 4954). */
const SIGN_IN = new Set([530, 534, 535, 538])
/** Errors of nodemailer without a reply of the server: it does not even try such a mail. */
const UNUSABLE = new Set(['EENVELOPE', 'EMESSAGE', 'EMAXRECIPIENTS'])

export function smtpFailure(thrown: unknown, { complete }: Progress): SendFailure {
  if (thrown instanceof AttachmentFailed) return thrown.failure
  if (thrown instanceof NotBegun) return NOT_BEGUN
  if (thrown instanceof Refusal)
    return { kind: 'refuse', code: thrown.code, message: thrown.message, maybe_accepted: false }
  const error = thrown as SmtpError
  if (error.responseCode) return ofReply(error, error.responseCode)
  const code = slugOf(error)
  const message = error.message.slice(0, MAX_MESSAGE_LENGTH)
  if (error.code === 'EAUTH' || error.code === 'ENOAUTH')
    return { kind: 'disconnect', code, message, maybe_accepted: false }
  if (complete) {
    const message = `The mail was handed over without an answer that can be understood: ${error.message}`
    return { kind: 'unknown', code, message: message.slice(0, MAX_MESSAGE_LENGTH), maybe_accepted: true }
  }
  return { kind: UNUSABLE.has(error.code ?? '') ? 'refuse' : 'retry', code, message, maybe_accepted: false }
}

function ofReply({ code: errno, response = '', message, command = '' }: SmtpError, reply: number): SendFailure {
  const said = { code: String(reply), message: message.slice(0, MAX_MESSAGE_LENGTH), maybe_accepted: false }
  const is_sign_in = errno === 'EAUTH' || command.startsWith('AUTH') || SIGN_IN.has(reply)
  if (reply >= 500) return { kind: is_sign_in ? 'disconnect' : 'refuse', ...said }
  if (is_sign_in) return { kind: 'retry', ...said }
  if (/gr[ea]y-?list/i.test(response)) return { kind: 'retry', ...said, retry_after_s: GREYLISTED_S }
  if (reply === 421) return { kind: 'slow_down', scope: 'channel', ...said }
  // Gmail's code for a mailbox that gets too many mails at the moment, from any senders.
  if (/\b4\.2\.1\b/.test(response)) return { kind: 'slow_down', scope: 'recipient', ...said }
  const is_rate = /\brate\b|too (?:many|fast|quickly|much)|throttl|\blimit/i.test(response)
  return is_rate ? { kind: 'slow_down', scope: 'channel', ...said } : { kind: 'retry', ...said }
}

const SLUGS: Record<string, string> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNECTION: 'connection_closed',
  ESOCKET: 'connection_failed',
  ETIMEDOUT: 'timeout',
  EABORT: 'aborted',
  EDNS: 'name_not_resolved',
  ETLS: 'tls_failed',
  EPROTOCOL: 'invalid_response',
  EAUTH: 'sign_in_failed',
  ENOAUTH: 'sign_in_failed',
  EENVELOPE: 'invalid_envelope',
  EMESSAGE: 'invalid_mail',
}

function slugOf({ code = '', originalCode = '', cause }: SmtpError): string {
  if (SLUGS[originalCode]) return SLUGS[originalCode]
  if (code === 'EABORT' && cause instanceof DOMException && cause.name === 'TimeoutError') return 'timeout'
  return SLUGS[code] ?? 'smtp_failed'
}
