/** A minimal SMTP server for clients that sign in and send: RFC 5321 with AUTH PLAIN, without TLS. */
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** `content` is the raw mail, cut at `MAX_LENGTH`. */
export type SentMail = { user: string; to: string[]; content: string }

export type SmtpHandler = {
  signIn(user: string, password: string): boolean
  take(mail: SentMail): void
}

export type SmtpServer = { port: number; close(): void }

const MAX_LENGTH = 65_536

/** Listens on a free port. Throws when the address is not local. */
export async function startSmtp(host: string, handler: SmtpHandler): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    void converse(socket, handler)
  })
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, host, resolve))
  return {
    port: (server.address() as { port: number }).port,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

async function converse(socket: Socket, { signIn, take }: SmtpHandler): Promise<void> {
  const say = (reply: string) => void socket.write(`${reply}\r\n`)
  let user: string | undefined
  let to: string[] = []
  let content: string | undefined
  say('220 simulator ESMTP')
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (content !== undefined) {
      if (line !== '.') {
        if (content.length < MAX_LENGTH) content += `${line.startsWith('.') ? line.slice(1) : line}\r\n`
        continue
      }
      take({ user: user!, to, content })
      say('250 2.0.0 taken')
      ;[content, to] = [undefined, []]
      continue
    }
    const [verb = ''] = line.toUpperCase().split(/[ :]/)
    if (verb === 'EHLO') say('250-simulator\r\n250 AUTH PLAIN')
    else if (verb === 'HELO' || verb === 'NOOP') say('250 ok')
    else if (verb === 'QUIT') return void socket.end('221 bye\r\n')
    else if (verb === 'AUTH') {
      const [, name = '', password = ''] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
        .toString()
        .split('\0')
      user = signIn(name, password) ? name : undefined
      say(user === undefined ? '535 5.7.8 Authentication credentials invalid' : '235 2.7.0 welcome')
    } else if (user === undefined) say('530 5.7.0 Authentication required')
    else if (verb === 'RSET' || verb === 'MAIL') {
      to = []
      say('250 ok')
    } else if (verb === 'RCPT') {
      to.push(/<([^<>]*)>/.exec(line)?.[1] ?? '')
      say('250 ok')
    } else if (verb === 'DATA' && to.length > 0) {
      content = ''
      say('354 end with a dot')
    } else say(verb === 'DATA' ? '503 5.5.1 no recipient' : '502 5.5.1 unknown command')
  }
}
