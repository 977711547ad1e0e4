/** Types for two packages of the tests that bring none. */
declare module 'smtp-server' {
  import type { Server, Socket } from 'node:net'
  import type { Readable } from 'node:stream'

  type Reply = Error & { responseCode?: number }
  type Session = { user?: string; envelope: { mailFrom: { address: string }; rcptTo: { address: string }[] } }

  export class SMTPServer {
    constructor(options: {
      authOptional?: boolean
      closeTimeout?: number
      disabledCommands?: string[]
      secure?: boolean
      key?: string
      cert?: string
      onAuth?(
        auth: { username?: string; password?: string },
        session: Session,
        done: (error: Reply | null, answer?: { user: string }) => void,
      ): void
      onMailFrom?(address: object, session: Session, done: (error?: Reply | null) => void): void
      onRcptTo?(address: object, session: Session, done: (error?: Reply | null) => void): void
      onData?(stream: Readable, session: Session, done: (error?: Reply | null, message?: string) => void): void
    })
    readonly connections: Set<{ _socket: Socket }>
    listen(port: number, host: string, done: () => void): Server
    close(done?: () => void): void
    on(event: 'error', heard: (error: Error) => void): this
  }
}
