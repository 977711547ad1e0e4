import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { createServer as createTlsServer } from 'node:tls'
import type { Owner } from './owner.ts'

type Step = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'end'

/**
 * A fault of one mail at one step: a reply such as `451 later`, no reply at all, or a cut connection. At the `end` the
 * server has the whole mail and keeps it, unless the reply is a refusal, even if the sender gets no reply.
 */
export type SmtpFault = { at: Step; reply: string | 'hang' | 'drop' }

export type ReceivedMail = {
  from: string
  to: string[]
  headers: Record<string, string>
  /** The decoded text. */
  text: string
  /** `user:password` of the connection, or null. */
  user: string | null
}

export type SmtpServer = {
  url: string
  /** All mails that arrived completely, in order. */
  mails: ReceivedMail[]
  /** The number of mails of which any part arrived. */
  begun(): number
  /** The number of connections so far. */
  connections(): number
  /** Sets the faults of the next connections, one for each connection; `null` is none. */
  fail(...faults: (SmtpFault | null)[]): void
  /** Delays the greeting of every connection until this resolves. */
  hold(until: Promise<void>): void
  /** Keeps mails, and acknowledges them only when this resolves. */
  holdEnd(until: Promise<void>, reply?: string): void
}

/**
 * Starts a small SMTP server over real sockets (RFC 5321, and AUTH PLAIN). With a certificate, it speaks TLS from the
 * start.
 */
export async function startSmtp(t: Owner, tls?: { cert: string; key: string }): Promise<SmtpServer> {
  const mails: ReceivedMail[] = []
  const faults: (SmtpFault | null)[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let held: Promise<void> | undefined
  const end: End = { until: undefined, reply: '250 taken', begun: 0 }
  const greet = (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    const conversation = new Conversation(socket, faults.shift() ?? null, mails, end)
    // A sender that was killed resets its connection.
    const is_cut = (error: { code?: string }) => error.code === 'ECONNRESET' || error.code === 'EPIPE'
    void Promise.resolve(held)
      .then(() => conversation.run())
      .catch((error) => {
        if (!is_cut(error)) throw error
      })
  }
  const server = tls ? createTlsServer(tls, greet).on('tlsClientError', () => {}) : createServer(greet)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as { port: number }
  return {
    url: `${tls ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    mails,
    begun: () => end.begun,
    connections: () => connections,
    fail: (...more) => void faults.push(...more),
    hold: (until) => {
      held = until
    },
    holdEnd: (until, reply = end.reply) => void Object.assign(end, { until, reply }),
  }
}

type End = { until: Promise<void> | undefined; reply: string; begun: number }

class Conversation {
  readonly #socket: Socket
  readonly #fault: SmtpFault | null
  readonly #mails: ReceivedMail[]
  readonly #end_of_mail: End
  #from = ''
  #to: string[] = []
  #user: string | null = null

  constructor(socket: Socket, fault: SmtpFault | null, mails: ReceivedMail[], end: End) {
    this.#socket = socket
    this.#fault = fault
    this.#mails = mails
    this.#end_of_mail = end
  }

  async run(): Promise<void> {
    if (!this.#say('connect', '220 test ESMTP')) return
    let data: string[] | undefined
    for await (const line of createInterface({ input: this.#socket, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (data === undefined) {
        const verb = line.split(/[ :]/)[0]!.toUpperCase()
        if (verb === 'QUIT') return void this.#socket.end('221 bye\r\n')
        if (!this.#command(verb, line)) return
        if (verb === 'DATA') data = []
        continue
      }
      if (data.length === 0) this.#end_of_mail.begun++
      if (line !== '.') data.push(line.startsWith('.') ? line.slice(1) : line)
      else {
        if (!(await this.#end(data))) return
        data = undefined
      }
    }
  }

  /** Returns false when the server says nothing more. */
  #command(verb: string, line: string): boolean {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (verb === 'EHLO') return this.#say('EHLO', '250-test\r\n250 AUTH PLAIN')
    if (verb === 'AUTH') {
      this.#user = Buffer.from(line.split(' ')[2] ?? '', 'base64')
        .toString()
        .split('\0')
        .slice(1)
        .join(':')
      return this.#say('AUTH', '235 welcome')
    }
    if (verb === 'MAIL') this.#from = address
    else if (verb === 'RCPT') this.#to.push(address)
    else if (verb === 'DATA') return this.#say('DATA', '354 go on')
    else return this.#write('502 unknown')
    return this.#say(verb, '250 ok')
  }

  async #end(lines: string[]): Promise<boolean> {
    const is_refusal = this.#fault?.at === 'end' && /^\d/.test(this.#fault.reply)
    if (!is_refusal) this.#mails.push({ from: this.#from, to: this.#to, user: this.#user, ...parse(lines) })
    await this.#end_of_mail.until
    return this.#say('end', this.#end_of_mail.reply)
  }

  #say(step: Step, usual: string): boolean {
    const reply = this.#fault?.at === step ? this.#fault.reply : usual
    if (reply === 'hang') return false
    if (reply === 'drop') {
      this.#socket.resetAndDestroy()
      return false
    }
    return this.#write(reply)
  }

  #write(reply: string): boolean {
    this.#socket.write(`${reply}\r\n`)
    // No mail follows a refused DATA.
    return !(this.#fault?.at === 'DATA' && reply === this.#fault.reply)
  }
}

/** Unfolds the headers and decodes the text by its transfer encoding. */
function parse(lines: string[]): Pick<ReceivedMail, 'headers' | 'text'> {
  const blank = lines.indexOf('')
  const unfolded = lines.slice(0, blank).join('\n').replaceAll(/\n\s+/g, ' ').split('\n')
  const headers = Object.fromEntries(
    unfolded.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = lines.slice(blank + 1).join('\n')
  return { headers, text: decode(body, headers['content-transfer-encoding'] ?? '7bit') }
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
