/** E-mail as a provider: mails go out over the account's own SMTP server and come in by a signed HTTP hook. */
import type { SendMailOptions } from 'nodemailer'
import type { Dispatcher } from 'undici'
import { mayBegin } from '../../../runtime/mod.ts'
import { newDate } from '../../../storage/mod.ts'
import type { OutboundGuard } from '../../outbound/mod.ts'
import type { Json } from '../json.ts'
import type { Payload } from '../payload.ts'
import type {
  BuildOptions,
  Credentials,
  FetchLimits,
  Hook,
  Outcome,
  Provider,
  ReceivedFile,
  SendFailure,
} from '../provider.ts'
import { fetchLink, unknownReference } from '../received_file.ts'
import { SIGNED_CALL_HEADER } from '../signed_call.ts'
import { readAccount, type SmtpServer } from './account.ts'
import { Attachments, type OpenFile } from './attachment.ts'
import { ANSWER_MS, Deadline } from './deadline.ts'
import { smtpFailure } from './failure.ts'
import { readCall } from './hook.ts'
import { HtmlReader } from './html_reader.ts'
import type { Mailbox } from './mailbox.ts'
import { prepareCall } from './prepare.ts'
import { buildMail, type EmailRequest } from './request.ts'
import { probeSmtp, SmtpPool } from './smtp.ts'

export type EmailOptions = {
  open: OpenFile
  /** For links of attachments. The SMTP server's address comes from the operator and does not pass it. */
  guard: OutboundGuard
  /** Certificate authorities in addition to the system's, PEM. */
  certificates?: readonly string[] | undefined
  /**
   * Maximum milliseconds until the server has a mail without attachment, from when a connection is free for it. The answer
   * may take longer (`deadline.ts`).
   */
  deadline_ms?: number | undefined
  /** Maximum milliseconds from then to the server's answer. */
  answer_ms?: number | undefined
}

const DEADLINE_MS = 20_000
/** Enough for an attachment of 25 MiB over a line of 3 Mbit/s. */
const ATTACHMENT_DEADLINE_MS = 120_000
/** Maximum accounts whose connections are kept. */
const MAX_ACCOUNTS = 500
const UNREADABLE: SendFailure = {
  kind: 'disconnect',
  code: 'credentials_unreadable',
  message: 'The channel lacks a usable smtp_url or from.',
  maybe_accepted: false,
}

export class Email implements Provider {
  readonly window_hours = null
  /** Not from a standard; the limit of the smallest plans of mail services. */
  readonly pace = { per_second: 10 }
  readonly confirms = false
  readonly settles_doubt = 'nothing'
  /** Some servers put an id of their own into the mail, and a bounce then names that id. */
  readonly early_statuses = true
  readonly hook: Hook = {
    signature_header: SIGNED_CALL_HEADER,
    prepare: (call, credentialsOf, now) => prepareCall(call, credentialsOf, now, this.#html),
    read: readCall,
  }
  readonly #html = new HtmlReader()
  readonly #attachments: Attachments
  /** For addresses of files in received mails. */
  readonly #links: Dispatcher
  readonly #certificates: readonly string[]
  readonly #deadline_ms: number
  readonly #answer_ms: number
  /** Keyed by the server's address with user and password, the least recently used first. */
  readonly #pools = new Map<string, SmtpPool>()

  constructor({ open, guard, certificates = [], deadline_ms = DEADLINE_MS, answer_ms = ANSWER_MS }: EmailOptions) {
    this.#answer_ms = answer_ms
    this.#attachments = new Attachments(open, guard)
    this.#links = guard.createDispatcher()
    this.#certificates = certificates
    this.#deadline_ms = deadline_ms
  }

  build(message: Payload, options: BuildOptions): Json {
    return buildMail(message, options)
  }

  /** A file that the mail system keeps behind an address of its own. */
  async fetchFile(_credentials: Credentials, { url }: Json, limits: FetchLimits): Promise<ReceivedFile> {
    return typeof url === 'string' ? fetchLink(this.#links, url, limits) : unknownReference()
  }

  marks({ subject, in_reply_to, references, cc, bcc, auto_submitted }: Json): Json {
    return {
      subject,
      ...(in_reply_to !== undefined && { references: references ?? [in_reply_to] }),
      ...(cc !== undefined && { cc }),
      ...(bcc !== undefined && { bcc }),
      ...(auto_submitted !== undefined && { auto_submitted }),
    }
  }

  async send(credentials: Credentials, request: Json, signal = new AbortController().signal): Promise<Outcome> {
    const account = readAccount(credentials)
    if (!account) return { failure: UNREADABLE }
    const pool = this.#poolOf(account.server)
    try {
      return await pool.inTurn(signal, () => this.#send(pool, account.from, request as EmailRequest, signal))
    } catch (error) {
      return { failure: smtpFailure(error, { complete: false }) }
    }
  }

  /** Without the wait for the answer, in which a former owner's mail is at the server already. */
  maxSend({ attachment }: Json): number {
    return attachment ? Math.max(this.#deadline_ms, ATTACHMENT_DEADLINE_MS) : this.#deadline_ms
  }

  async #send(pool: SmtpPool, from: Mailbox, request: EmailRequest, stopped: AbortSignal): Promise<Outcome> {
    const { attachment } = request
    const deadline_ms = this.maxSend(request)
    const deadline = new Deadline(deadline_ms, this.#answer_ms)
    const signal = AbortSignal.any([stopped, deadline.signal])
    let opened: Awaited<ReturnType<Attachments['open']>> | undefined
    try {
      opened = attachment && (await this.#attachments.open(attachment, { deadline_ms, signal }))
      const { content, filename, mime_type } = opened ?? {}
      const attachments = content && [{ content, filename, ...(mime_type && { contentType: mime_type }) }]
      const mail = { ...headersOf(request, from), ...(attachments && { attachments }), signal }
      return await pool.send(mail, { mayBegin: () => mayBegin(stopped), complete: () => deadline.awaitAnswer() })
    } finally {
      deadline.end()
      opened?.close()
    }
  }

  async probe(credentials: Credentials) {
    const account = readAccount(credentials)
    if (!account) return { failure: UNREADABLE }
    const failure = await probeSmtp(account.server, { certificates: this.#certificates })
    return failure ? { failure } : { account: { address: account.from.address, host: account.server.host } }
  }

  #poolOf(server: SmtpServer): SmtpPool {
    const key = JSON.stringify(server)
    const pool = this.#pools.get(key) ?? new SmtpPool(server, { certificates: this.#certificates })
    this.#pools.delete(key)
    this.#pools.set(key, pool)
    if (this.#pools.size > MAX_ACCOUNTS) {
      for (const [old, { idle }] of this.#pools) {
        if (!idle || old === key) continue
        this.#pools.get(old)!.close()
        this.#pools.delete(old)
        break
      }
    }
    return pool
  }

  async close(): Promise<void> {
    for (const pool of this.#pools.values()) pool.close()
    this.#pools.clear()
    await Promise.all([this.#attachments.close(), this.#html.close(), this.#links.destroy()])
  }
}

function headersOf(request: EmailRequest, from: Mailbox): SendMailOptions {
  const {
    to,
    cc,
    bcc,
    subject,
    text,
    html,
    message_id,
    in_reply_to,
    references = in_reply_to,
    auto_submitted,
  } = request
  return {
    from,
    to: { name: '', address: to },
    ...(cc && { cc }),
    ...(bcc && { bcc }),
    subject,
    text,
    ...(html !== undefined && { html }),
    messageId: message_id,
    date: newDate(),
    ...(auto_submitted !== undefined && { headers: { 'Auto-Submitted': auto_submitted } }),
    ...(in_reply_to !== undefined && { inReplyTo: in_reply_to, references }),
  }
}
