import { Readable } from 'node:stream'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import type { Test } from 'tap'
import t from 'tap'
import { signCall } from '../../../../actors/providers/signed_call.ts'
import { freePort } from '../../../support/mod.ts'
import { type Accepted, conforms, type FarSide, type Fault } from '../conformance.ts'
import { credentialsOf, SECRET, startEmail } from './channel.ts'

/** The time of the calls in the suite. */
const NOW = new Date('2026-11-21T12:00:00Z')

/** Starts a mail server that fails as the test says, over kept connections. */
async function open(t: Test) {
  const mails: ParsedMail[] = []
  let fault: Fault | undefined
  const take = (...faults: Fault[]) => {
    const due = fault !== undefined && faults.includes(fault) ? fault : undefined
    if (due) fault = undefined
    return due
  }
  const reply = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth({ password }, _, done) {
      if (password === 'password') done(null, { user: 'support' })
      else done(reply(535, '5.7.8 bad credentials'))
    },
    onMailFrom(_, __, done) {
      const due = take('auth', 'rate')
      if (due === 'auth') done(reply(530, '5.7.0 sign in first'))
      else if (due === 'rate') done(reply(450, '4.7.0 too many mails'))
      else done()
    },
    onRcptTo(_, __, done) {
      done(take('permanent') ? reply(550, '5.1.1 no such user') : null)
    },
    async onData(stream, _, done) {
      const mail = await simpleParser(stream)
      const due = take('garbage', 'reset_after', 'hang')
      if (due === 'hang') return
      const [{ _socket: socket } = {}] = server.connections
      if (due === 'garbage') return void socket?.write('what?\r\n')
      if (due === 'reset_after') return void socket?.destroy()
      mails.push(mail)
      done()
    },
  })
  server.on('error', () => {})
  const port = await new Promise<number>((resolve) => {
    const socket = server.listen(0, '127.0.0.1', () => resolve((socket.address() as { port: number }).port))
  })
  const provider = startEmail(t, {
    deadline_ms: 2000,
    open: async () => ({ stream: Readable.from(['x']), filename: 'x.pdf', mime_type: 'application/pdf' }),
  })
  t.teardown(() => {
    for (const { _socket } of server.connections) _socket.destroy()
    server.close()
  })
  const url = (password: string, at: number) => `smtp://support:${password}@127.0.0.1:${at}`
  let written = 0
  const file = (type: 'image' | 'video' | 'audio' | 'document') => ({ type, media_id: 'med_1' }) as const
  const far: FarSide = {
    credentials: credentialsOf(url('password', port)),
    wrong: credentialsOf(url('wrong', port)),
    unreachable: credentialsOf(url('password', await freePort())),
    sent: async () => mails.map(toAccepted),
    fail: async (next) => {
      fault = next
    },
    async write(from, { message, context }) {
      const message_id = `<q${++written}@example.com>`
      const raw = JSON.stringify({
        message_id,
        from: { address: from, name: 'Ana' },
        subject: 'A question',
        ...(message as object),
        ...(context && { in_reply_to: context.message_id }),
        date: NOW.toISOString(),
      })
      return { call: { raw, signature: signCall(SECRET, raw, NOW) }, provider_message_id: message_id }
    },
    // The links of the usual messages lead nowhere. Another test proves that links are fetched.
    messages: { image: file('image'), video: file('video'), audio: file('audio'), document: file('document') },
  }
  return { provider, far }
}

function toAccepted({ messageId = '', to, attachments, html }: ParsedMail): Accepted {
  const recipient = [to].flat()[0]?.text ?? ''
  return { id: messageId, recipient, type: attachments.length > 0 ? 'file' : html ? 'html' : 'text' }
}

conforms(t, {
  name: 'email',
  carrier: 'email',
  open,
  to: 'ana@example.com',
  accepted_as: { text: 'text', image: 'file', video: 'file', audio: 'file', document: 'file', cta_url: 'html' },
  faults: {
    auth: { code: '530' },
    rate: { code: '450', scope: 'channel' },
    permanent: { code: '550' },
    garbage: {},
    reset_after: {},
    hang: {},
  },
  hook: {
    sign: (raw, { inbound_secret = '', app_secret }) => signCall(app_secret ?? inbound_secret, raw, NOW),
    garbage: ['', '[]', '{}', '{"message_id":"<a@b>"}', '{"bounce":{}}'],
    from: 'ana@example.com',
    inbound: [
      { name: 'a mail', message: { text: 'Hello' }, type: 'text', expect: { body: 'Hello', subject: 'A question' } },
      { name: 'a mail of HTML', message: { html: '<p>Hello</p>' }, type: 'text', expect: { body: 'Hello' } },
      { name: 'an answer', message: { text: 'Yes' }, context: { message_id: '<m1@parley.test>' }, type: 'text' },
      {
        name: 'a mail with a file',
        message: { text: 'See', attachments: [{ filename: 'a.pdf', mime_type: 'application/pdf', size: 3 }] },
        type: 'text',
        expect: { attachments: [{ filename: 'a.pdf', size: 3 }] },
      },
    ],
  },
})
