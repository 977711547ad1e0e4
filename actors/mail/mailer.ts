/** The port to the mail system, and its adapter for SMTP. */
import { getCACertificates } from 'node:tls'

export type Mail = {
  to: string
  subject: string
  /** Plain text. */
  text: string
  /** Without angle brackets; the same for every attempt at one mail, so that a repeat is recognised. */
  message_id: string
  date: Date
}

export type MailOutcome =
  | { kind: 'sent' }
  /** The mail system will never take this mail. */
  | { kind: 'refused'; error: string }
  /** It may take it later, or the outcome is unknown. */
  | { kind: 'failed'; error: string }

export interface Mailer {
  /** The part of addresses and message ids behind the `@`. */
  readonly domain: string
  /** Never rejects. */
  send(mail: Mail): Promise<MailOutcome>
}

export type SmtpOptions = {
  /** `smtp://user:password@host:587` (TLS when the server offers it) or `smtps://…` (TLS from the start). */
  url: string
  /** `parley@example.com` or `Parley <parley@example.com>`. */
  from: string
  /** Certificate authorities in addition to the system's (`PARLEY_CA_FILE`), PEM. */
  certificates?: readonly string[]
  /** Milliseconds for a whole attempt. */
  deadline_ms?: number
}

/** Shorter than a leaving node's wait for its calls. */
const DEADLINE_MS = 20_000

/** Sends mails to an SMTP server, each over a connection of its own, because there are few. */
export function smtpMailer({ deadline_ms = DEADLINE_MS, ...server }: SmtpOptions): Mailer {
  const { from } = server
  const domain = /@([^@\s>]+)>?$/.exec(from)![1]!
  const transport = transportTo(server)
  // Each mail reports it.
  transport.catch(() => {})
  return {
    domain,
    async send({ message_id, ...mail }) {
      try {
        const signal = AbortSignal.timeout(deadline_ms)
        await (await transport).sendMail({ ...mail, from, messageId: `<${message_id}>`, signal })
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error as SmtpError)
      }
    },
  }
}

/** Many nodes have no mail server, and do without the library. */
async function transportTo({ url, certificates = [] }: SmtpOptions) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    disableFileAccess: true,
    disableUrlAccess: true,
    socketCloseTimeout: 0,
    ...(certificates.length > 0 && { tls: { ca: [...getCACertificates('default'), ...certificates] } }),
  })
}

type SmtpError = Error & { code?: string; responseCode?: number; permanent?: boolean }

/** A 5xx is final for the mail, except a refused sign-in: the operator has to repair that, and the mail waits. */
function outcomeOf({ message, code, responseCode, permanent }: SmtpError): MailOutcome {
  const is_unusable = code === 'EENVELOPE' && responseCode === undefined
  const is_refused = is_unusable || (permanent === true && code !== 'EAUTH')
  return { kind: is_refused ? 'refused' : 'failed', error: message }
}
