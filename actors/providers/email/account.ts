import { parseUrl } from '../../outbound/mod.ts'
import type { Credentials } from '../provider.ts'
import { type Mailbox, parseMailbox } from './mailbox.ts'

/** The encrypted credentials of an e-mail channel. */
export type EmailCredentials = {
  /** `smtp://user:password@host:587` (TLS when the server offers it) or `smtps://…` (TLS from the start). */
  smtp_url: string
  /** `support@example.com` or `Support <support@example.com>`. */
  from: string
  /** Key for the signature of calls to the inbound hook. */
  inbound_secret: string
  /** The rule for e-mails in the channel's own name when the mail system says nothing of their sender. Default `trusted`. */
  own_mail?: 'trusted' | 'proven'
}

export type SmtpServer = { host: string; port: number; secure: boolean; user: string; pass: string }

const SUBMISSION = { 'smtp:': 587, 'smtps:': 465 } as const

/** Undefined unless it is the address of an SMTP server with user and password. Never put it into an error, because it has both. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = parseUrl(text)
  const usual = url && SUBMISSION[url.protocol as keyof typeof SUBMISSION]
  // A query would set options of the library, such as the trusted certificates.
  if (!url || !usual || url.search !== '' || url.hash !== '' || url.pathname.length > 1) return undefined
  try {
    const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    if (url.hostname === '' || user === '' || pass === '') return undefined
    const host = url.hostname.replace(/^\[|\]$/g, '')
    return { host, port: Number(url.port) || usual, secure: url.protocol === 'smtps:', user, pass }
  } catch {
    return undefined
  }
}

/** Undefined for credentials that never passed the check of the operator API. */
export function readAccount({
  smtp_url = '',
  from = '',
}: Credentials): { server: SmtpServer; from: Mailbox } | undefined {
  const server = parseSmtpUrl(smtp_url)
  const mailbox = parseMailbox(from)
  return server && mailbox && { server, from: mailbox }
}
