/** Answers of both sides in one thread, as the mail programs of people see it. */
import { createHmac } from 'node:crypto'
import type { ParsedMail } from 'mailparser'
import t from 'tap'
import { startMailServer, USER } from '../actors/providers/email/mail_server.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { inboxAgent } from '../e2e/inbox_client.ts'

const SECRET = 'the secret of the inbound hook'
const world = await joinWorld(t)
const tenant = await makeTenant(world)
const mail_server = await startMailServer(t)
const channel = await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'email',
    provider: 'cloud',
    name: 'Support',
    credentials: { smtp_url: mail_server.url, from: USER.name, inbound_secret: SECRET },
  }),
)
const agent = await inboxAgent(world, tenant)

async function arrive(mail: Json): Promise<Json> {
  const raw = JSON.stringify(mail)
  const time = Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', SECRET).update(`${time}.${raw}`).digest('hex')
  const headers = { 'x-parley-signature': `t=${time},v1=${v1}`, 'content-type': 'application/json' }
  const { status } = await fetch(`${world.base_url}${channel.webhook_path}`, { method: 'POST', headers, body: raw })
  t.equal(status, 200)
  const page = await tenant.api('GET', 'messages?channel=email&status=received&limit=200')
  return page.body.data.find((one: Json) => one.provider_message_id === mail.message_id)
}

const mailOf = (n: number, more: Json = {}) => ({
  message_id: `<r${n}@ferry.example>`,
  from: { address: 'rosa@ferry.example', name: 'Rosa' },
  subject: 'Lost umbrella',
  text: 'It is blue.',
  ...more,
})
const answer = (more: Json = {}) => ({
  channel: 'email',
  to: 'rosa@ferry.example',
  message: { type: 'text', body: 'We have it.' },
  ...more,
})

/** The mail that left for a message. */
async function sent({ id }: Json): Promise<{ mail: ParsedMail; to: string[] }> {
  const { provider_message_id } = await tenant.message(id, 'sent')
  return eventually('the mail arrives', async () =>
    mail_server.mails.find(({ mail }) => mail.messageId === provider_message_id),
  )
}

t.test('an answer by the API has the subject and the references of the thread', async (t) => {
  const question = await arrive(mailOf(1, { references: ['<a@x>', '<b@x>'] }))
  t.match(question.message, { references: ['<a@x>', '<b@x>'] })
  const row = await made(tenant.api('POST', 'messages', answer({ context: { message_id: question.id } })))
  const { mail } = await sent(row)
  t.match(mail, {
    subject: 'Re: Lost umbrella',
    inReplyTo: '<r1@ferry.example>',
    references: ['<a@x>', '<b@x>', '<r1@ferry.example>'],
  })
  const stored = (await tenant.api('GET', `messages/${row.id}`)).body
  t.match(stored.message, { subject: 'Re: Lost umbrella', references: ['<a@x>', '<b@x>', '<r1@ferry.example>'] })

  const more = await made(tenant.api('POST', 'messages', answer({ context: { message_id: row.id } })))
  t.match((await sent(more)).mail, {
    subject: 'Re: Lost umbrella',
    references: ['<a@x>', '<b@x>', '<r1@ferry.example>', mail.messageId],
  })
})

t.test('a message of the API without context begins a thread', async (t) => {
  const { mail } = await sent(await made(tenant.api('POST', 'messages', answer())))
  t.match(mail, { subject: 'Support' })
  t.equal(mail.inReplyTo, undefined)
})

t.test('an agent answers the last mail of the ticket', async (t) => {
  await arrive(mailOf(2, { subject: 'RE: Lost umbrella', in_reply_to: '<c@x>' }))
  const row = await made(agent.ask('POST', 'messages', answer({ meta_data: { agent_id: agent.id } })))
  const { mail } = await sent(row)
  t.match(mail, {
    subject: 'RE: Lost umbrella',
    inReplyTo: '<r2@ferry.example>',
    references: ['<c@x>', '<r2@ferry.example>'],
  })
  const named = await made(agent.ask('POST', 'messages', answer({ meta_data: { subject: 'Your umbrella' } })))
  t.match((await sent(named)).mail, { subject: 'Your umbrella', inReplyTo: '<r2@ferry.example>' })
})

t.test('a mail that answers an unknown one answers the latest known one of its thread', async (t) => {
  const ours = mail_server.mails[0]!.mail.messageId
  const references = ['<r1@ferry.example>', ours, '<lost@x>']
  const lost = await arrive(mailOf(5, { in_reply_to: '<lost@x>', references }))
  t.same(lost.context, { message_id: ours })
  const known = await arrive(mailOf(6, { in_reply_to: '<r1@ferry.example>', references }))
  t.same(known.context, { message_id: '<r1@ferry.example>' })
  t.same((await arrive(mailOf(7, { references: ['<x@x>', '<y@x>'] }))).context, { message_id: '<y@x>' })
})

t.test('signs of an answer in other languages are not repeated', async (t) => {
  let n = 10
  for (const [subject, expected] of [
    ['AW: Schirm', 'AW: Schirm'],
    ['Re[2]: Schirm', 'Re[2]: Schirm'],
    ['回复：雨伞', '回复：雨伞'],
    ['Fwd: Schirm', 'Re: Fwd: Schirm'],
    ['Reading', 'Re: Reading'],
    [undefined, 'Support'],
  ]) {
    const question = await arrive(mailOf(n++, { subject }))
    const row = await made(tenant.api('POST', 'messages', answer({ context: { message_id: question.id } })))
    t.equal((await sent(row)).mail.subject, expected)
  }
})

t.test('a long thread keeps its first mail and the last ones', async (t) => {
  const references = Array.from({ length: 80 }, (_, at) => `<t${at}@x>`)
  const question = await arrive(mailOf(30, { references }))
  const row = await made(tenant.api('POST', 'messages', answer({ context: { message_id: question.id } })))
  const all = (await sent(row)).mail.references as string[]
  t.equal(all.length, 50)
  t.same([all[0], all.at(-2), all.at(-1)], ['<t0@x>', '<t79@x>', '<r30@ferry.example>'])
})

t.test('copies go to those in meta_data.cc and meta_data.bcc', async (t) => {
  const meta_data = { cc: ['Bo <bo@ferry.example>', 'mo@ferry.example'], bcc: 'archive@parley.test' }
  const row = await made(tenant.api('POST', 'messages', answer({ meta_data })))
  const { mail, to } = await sent(row)
  t.same(to, ['rosa@ferry.example', 'bo@ferry.example', 'mo@ferry.example', 'archive@parley.test'])
  t.match(mail.cc, { text: '"Bo" <bo@ferry.example>, mo@ferry.example' })
  t.notOk(mail.bcc || /archive/.test(JSON.stringify(mail.headerLines)), 'nobody sees the blind copy')
  const { message } = (await tenant.api('GET', `messages/${row.id}`)).body
  t.match(message, { cc: [{ address: 'bo@ferry.example', name: 'Bo' }, {}], bcc: [{ address: 'archive@parley.test' }] })
  for (const wrong of [
    'nobody',
    ['a@b.example, c@d.example'],
    [{ address: 'a@b.example' }],
    Array(51).fill('a@b.example'),
  ]) {
    const { status, body } = await tenant.api('POST', 'messages', answer({ meta_data: { cc: wrong } }))
    t.match({ status, body }, { status: 422, body: { error: { details: { path: 'meta_data.cc' } } } })
  }
})

t.test('a copy that the server refuses is said', async (t) => {
  const meta_data = { cc: 'kai..mori@docomo.example' }
  const { id } = await made(tenant.api('POST', 'messages', answer({ meta_data })))
  t.match(await tenant.message(id, 'failed'), {
    error: { code: 'recipient_refused', message: /kai\.\.mori.*the other recipients got/ },
  })
})

t.test('the list shows the subject, the mark and the files of a mail', async (t) => {
  const attachments = [{ filename: 'umbrella.jpg', mime_type: 'image/jpeg', size: 2048 }]
  await arrive(mailOf(50, { subject: 'Blue umbrella', text: ' ', attachments, auto_submitted: 'auto-replied' }))
  const [ticket] = (await tenant.api('GET', 'crm/tickets')).body.data
  const row = await eventually('the row', async () => {
    const found = await agent.row(ticket._id)
    return found.last_message.text.includes('Blue umbrella') ? found : undefined
  })
  t.match(row.last_message, { text: 'Automatic: Blue umbrella: umbrella.jpg' })
})

t.test('the bytes of an unreadable mail are kept', async (t) => {
  const original = Buffer.from('From: x').toString('base64')
  t.match((await arrive(mailOf(51, { text: '', unreadable: true, original }))).message, { unreadable: true, original })
  t.notOk('original' in (await arrive(mailOf(52, { original }))).message, 'of others they are not')
  t.notOk('original' in (await arrive(mailOf(53, { unreadable: true, original: 'x'.repeat(262_145) }))).message)
})

t.test('those in CC of a mail are known', async (t) => {
  const { message } = await arrive(
    mailOf(40, { cc: [{ address: 'Bo@ferry.example', name: 'Bo' }, 'mo@ferry.example'] }),
  )
  t.match(message, { cc: [{ address: 'Bo@ferry.example', name: 'Bo' }, { address: 'mo@ferry.example' }] })
})
