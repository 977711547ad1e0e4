import { createServer, type RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import t from 'tap'
import { OutboundGuard } from '../../../../actors/outbound/mod.ts'
import type { EmailOptions } from '../../../../actors/providers/email/mod.ts'
import type { Payload } from '../../../../actors/providers/payload.ts'
import { Refusal } from '../../../../runtime/mod.ts'
import { files } from '../../../http/media_files.ts'
import type { Owner } from '../../../support/mod.ts'
import { credentialsOf, options, startEmail } from './channel.ts'
import { startMailServer } from './mail_server.ts'

const MIB = 1024 * 1024

async function startSite(t: Owner, answer: RequestListener): Promise<string> {
  const site = createServer(answer)
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    site.closeAllConnections()
    site.close()
  })
  return `http://127.0.0.1:${(site.address() as { port: number }).port}`
}

async function world(t: Owner, changes: Partial<EmailOptions> = {}) {
  const server = await startMailServer(t)
  const email = startEmail(t, changes)
  const send = (message: Payload) => email.send(credentialsOf(server.url), email.build(message, options()))
  return { server, send }
}

t.test('a link is fetched when the mail leaves, and the file is named by its last part', async (t) => {
  const bytes = Buffer.concat([files.jpeg!, Buffer.alloc(2 * MIB, 'kitten')])
  const site = await startSite(t, (request, response) => {
    if (request.url === '/old.jpg') return void response.writeHead(302, { location: '/photos/cat%20one.jpg?x=1' }).end()
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes)
  })
  const { server, send } = await world(t)
  t.match(await send({ type: 'image', link: `${site}/photos/cat%20one.jpg?x=1` }), { sent: String })
  t.match(await send({ type: 'image', link: `${site}/old.jpg` }), { sent: String }, 'a redirection is followed')
  const [first, second] = server.mails.map(({ mail }) => mail.attachments[0]!)
  t.match(first, { filename: 'cat one.jpg', contentType: 'image/jpeg' })
  for (const { content } of [first!, second!]) t.ok(bytes.equals(content))
})

t.test('a mail with a file may take longer than one without', async (t) => {
  const email = startEmail(t, {})
  const [text, file] = [
    { type: 'text', body: 'Hello' },
    { type: 'image', link: 'https://example.com/cat.jpg' },
  ].map((message) => email.maxSend(email.build(message as Payload, options())))
  t.ok(file! > text!)
})

const answers: [string, RequestListener, object][] = [
  [
    'a link that leads nowhere refuses the mail',
    (_, to) => void to.writeHead(404).end('no'),
    { kind: 'refuse', code: 'attachment_unavailable' },
  ],
  [
    'a link whose server is troubled comes again',
    (_, to) => void to.writeHead(503).end('later'),
    { kind: 'retry', code: 'attachment_unavailable' },
  ],
  [
    'a link that leads in circles refuses the mail',
    (_, to) => void to.writeHead(302, { location: '/a' }).end(),
    { kind: 'refuse' },
  ],
  [
    'a link that breaks off comes again',
    (_, to) => {
      to.writeHead(200, { 'content-length': String(MIB) })
      to.write(Buffer.alloc(MIB / 2), () => to.destroy())
    },
    { kind: 'retry', code: 'attachment_unavailable' },
  ],
  [
    'a link that says it is too large is not fetched',
    (_, to) => void to.writeHead(200, { 'content-length': String(26 * MIB) }).flushHeaders(),
    { kind: 'refuse', code: 'attachment_too_large' },
  ],
  [
    'one that turns out to be too large is cut off, and no part of it is taken',
    (_, to) =>
      void Readable.from(endless(27), { objectMode: false })
        .on('error', () => {})
        .pipe(to),
    { kind: 'refuse', code: 'attachment_too_large' },
  ],
]

async function* endless(mib: number) {
  for (let i = 0; i < mib; i++) yield Buffer.alloc(MIB, i)
}

for (const [rule, answer, expected] of answers) {
  t.test(rule, async (t) => {
    const site = await startSite(t, answer)
    const { server, send } = await world(t)
    t.match(await send({ type: 'document', link: `${site}/a.pdf` }), {
      failure: { ...expected, maybe_accepted: false },
    })
    t.equal(server.mails.length, 0)
    t.match(await send({ type: 'text', body: 'Still here' }), { sent: String })
  })
}

t.test('the guard keeps links out of the own network', async (t) => {
  const site = await startSite(t, (_, to) => void to.end('secret'))
  const { server, send } = await world(t, { guard: new OutboundGuard() })
  for (const link of [site, 'https://169.254.169.254/latest/meta-data', 'https://localhost/x'])
    t.match(await send({ type: 'document', link }), { failure: { kind: 'refuse', code: 'address_forbidden' } }, link)
  t.equal(server.mails.length, 0)
})

t.test('a deleted upload refuses the mail; an upload that cannot be read now is tried again', async (t) => {
  const gone = async () => Promise.reject(new Refusal('MEDIA_NOT_FOUND', { message: 'There is no such file.' }))
  const away = async () => Promise.reject(new Error('the disk is busy'))
  const message = { type: 'document', media_id: 'med_1' } as const
  t.match(await (await world(t, { open: gone })).send(message), {
    failure: { kind: 'refuse', code: 'MEDIA_NOT_FOUND' },
  })
  const passing = await (await world(t, { open: away })).send(message)
  t.match(passing, { failure: { kind: 'retry', code: 'attachment_unavailable' } })
  t.notMatch(JSON.stringify(passing), /disk/)
})
