/** A stock mail server (`smtp-server`) that reads mails with a stock parser (`mailparser`). */
import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import type { Owner } from '../../../support/mod.ts'

export type Arrived = { mail: ParsedMail; from: string; to: string[]; user: string | undefined }

export type MailServer = {
  url: string
  mails: Arrived[]
  /** Returns the number of open connections. */
  connections(): number
}

export const USER = { name: 'support@parley.test', password: 'p@ss:word/1' }

export async function startMailServer(t: Owner, tls?: { key: string; cert: string }): Promise<MailServer> {
  const mails: Arrived[] = []
  const server = new SMTPServer({
    // Milliseconds to wait at the end for connections that a sender keeps open for the next mail.
    closeTimeout: 1,
    ...(tls ? { secure: true, ...tls } : { disabledCommands: ['STARTTLS'] }),
    onAuth({ username = '', password }, _, done) {
      if (username === USER.name && password === USER.password) done(null, { user: username })
      else done(Object.assign(new Error('Authentication credentials invalid'), { responseCode: 535 }))
    },
    onData(stream, { envelope, user }, done) {
      simpleParser(stream).then((mail) => {
        mails.push({
          mail,
          from: envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          user,
        })
        done(null, 'taken')
      }, done)
    },
  })
  server.on('error', () => {})
  const listener = await new Promise<AddressInfo>((resolve) => {
    const socket = server.listen(0, '127.0.0.1', () => resolve(socket.address() as AddressInfo))
  })
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)))
  const sign_in = `${encodeURIComponent(USER.name)}:${encodeURIComponent(USER.password)}`
  return {
    url: `${tls ? 'smtps' : 'smtp'}://${sign_in}@127.0.0.1:${listener.port}`,
    mails,
    connections: () => server.connections.size,
  }
}
