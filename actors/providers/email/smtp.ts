/** Pooled connections to one account of an SMTP server. */
import type { Readable } from 'node:stream'
import { getCACertificates } from 'node:tls'
import type { SendMailOptions } from 'nodemailer'
import type { Outcome, SendFailure } from '../provider.ts'
import type { SmtpServer } from './account.ts'
import { ANSWER_MS } from './deadline.ts'
import { NotBegun, smtpFailure } from './failure.ts'

/** Servers limit the connections of a client, most at ten. */
const CONNECTIONS = 5
/** Shorter than servers' own time-outs: a mail sent while the server closes the connection fails. */
const IDLE_MS = 30_000
const CONNECT_MS = 10_000
/** A connection may be silent for as long as the answer to a mail may take, and a little longer. */
const SILENCE_MS = ANSWER_MS + 20_000
/** A person waits for a probe. */
const PROBE_MS = 5_000

export type SmtpOptions = {
  /** Certificate authorities in addition to the system's, PEM. */
  certificates: readonly string[]
}

function transportOf({ host, port, secure, user, pass }: SmtpServer, { certificates }: SmtpOptions) {
  return {
    host,
    port,
    secure,
    auth: { user, pass },
    disableFileAccess: true,
    disableUrlAccess: true,
    socketCloseTimeout: 0,
    ...(certificates.length > 0 && { tls: { ca: [...getCACertificates('default'), ...certificates] } }),
  }
}

/** Checks whether the server takes the credentials, over a new connection, so that the result is current. */
export async function probeSmtp(server: SmtpServer, options: SmtpOptions): Promise<SendFailure | undefined> {
  const times = { connectionTimeout: PROBE_MS, greetingTimeout: PROBE_MS, socketTimeout: PROBE_MS }
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ ...transportOf(server, options), ...times })
  try {
    await transport.verify()
    return undefined
  } catch (error) {
    return smtpFailure(error, { complete: false })
  } finally {
    transport.close()
  }
}

/** The content of a mail as its connection reads it. Once it is read to the end, the server may have taken it. */
type Watch = { content?: Readable; mayBegin: () => boolean; complete: () => void }
type Watched = { watch: Watch }

/** Many nodes have no channel for e-mail, so the first pool loads the library. */
async function pooledTransport(server: SmtpServer, options: SmtpOptions) {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    ...transportOf(server, options),
    pool: true,
    maxConnections: CONNECTIONS,
    // The sender decides on repeats, and records the time that passes in between.
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  })
  transport.use('stream', (mail, done) => {
    mail.message.processFunc((content) => {
      const { watch } = mail.data as Watched
      watch.content = content as Readable
      watch.content.once('end', watch.complete)
      // Reading starts once the server asks for the mail: connecting and signing in may have taken long.
      watch.content.once('resume', () => {
        // Pause first, since a destroyed stream still emits what it has read ahead.
        if (!watch.mayBegin()) watch.content!.pause().destroy(new NotBegun())
      })
      return content
    })
    done()
  })
  return transport
}

/** The server took the mail for the other recipients, so sending it again would send it to them twice. */
function refusedFor(rejected: readonly (string | { address: string })[]): SendFailure {
  const addresses = rejected.map((one) => (typeof one === 'string' ? one : one.address)).join(', ')
  const message = `The server refused ${addresses.slice(0, MAX_ADDRESSES_LENGTH)}; the other recipients got the e-mail.`
  return { kind: 'refuse', code: 'recipient_refused', message, maybe_accepted: false }
}

/** Characters. */
const MAX_ADDRESSES_LENGTH = 400

export class SmtpPool {
  readonly #transport: ReturnType<typeof pooledTransport>
  #free = CONNECTIONS
  readonly #waiting: (() => void)[] = []

  constructor(server: SmtpServer, options: SmtpOptions) {
    this.#transport = pooledTransport(server, options)
    // Each send reports it.
    this.#transport.catch(() => {})
  }

  get idle(): boolean {
    return this.#free === CONNECTIONS
  }

  /**
   * Runs when a connection is free for it, so that files are opened and deadlines begin no earlier. Rejects with the
   * signal's reason when that comes first.
   */
  async inTurn<Value>(signal: AbortSignal, run: () => Promise<Value>): Promise<Value> {
    await this.#turn(signal)
    try {
      return await run()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }

  #turn(signal: AbortSignal): Promise<void> | void {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(begin)
    })
  }

  /**
   * One attempt. Ends before the first byte of the mail if `mayBegin` returns false then. `complete` is called when the
   * server has all of the mail. Never rejects.
   */
  async send(mail: SendMailOptions, { mayBegin, complete }: Pick<Watch, 'mayBegin' | 'complete'>): Promise<Outcome> {
    const watch: Watch = { mayBegin, complete }
    try {
      const transport = await this.#transport
      const { messageId, serverMessageId, rejected } = await transport.sendMail({ ...mail, watch } as SendMailOptions)
      if (rejected.length > 0) return { failure: refusedFor(rejected) }
      // Some servers put an id of their own into the mail, and answers to it name that id.
      return { sent: serverMessageId ?? messageId }
    } catch (error) {
      return { failure: smtpFailure(error, { complete: watch.content?.readableEnded ?? false }) }
    }
  }

  close(): void {
    void this.#transport.then(
      (transport) => transport.close(),
      () => {},
    )
  }
}
