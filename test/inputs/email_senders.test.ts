/** The person behind a mail: rows of headers as mail programs and web forms write them, delivered by the command. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startMailServer, USER } from '../actors/providers/email/mail_server.ts'
import { run } from '../cli/command.ts'
import type { Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'

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
    credentials: { smtp_url: mail_server.url, from: `Support <${USER.name}>`, inbound_secret: SECRET },
  }),
)
const secret_file = join(tempDir(t), 'secret')
writeFileSync(secret_file, SECRET)
const args = ['email', 'deliver', '--hook', `${world.base_url}${channel.webhook_path}`, '--secret-file', secret_file]

type Expected = { from: string; name?: string | null; [field: string]: unknown }
const OWN = USER.name

const rows: [rule: string, head: string, expected: Expected][] = [
  [
    'a colon belongs to the name',
    'From: Mill Bakery: Night shift <night@mill.example>',
    { from: 'night@mill.example', name: 'Mill Bakery: Night shift' },
  ],
  [
    'a time belongs to the name',
    'From: 07:15 Tram <desk@tram.example>',
    { from: 'desk@tram.example', name: '07:15 Tram' },
  ],
  [
    'a comma and a colon belong to the name',
    'From: Ruiz, Ana: Sales <ana.ruiz@mill.example>',
    { from: 'ana.ruiz@mill.example', name: 'Ruiz, Ana: Sales' },
  ],
  ['a colon alone is no name', 'From: :<colon@mill.example>', { from: 'colon@mill.example', name: null }],
  [
    'an encoded colon belongs to the name',
    'From: =?utf-8?q?Mill=3A_Caf=C3=A9?= <cafe@mill.example>',
    { from: 'cafe@mill.example', name: 'Mill: Café' },
  ],
  ['the first member of a group', 'From: Team: one@mill.example, two@mill.example;', { from: 'one@mill.example' }],
  ['a group without a blank', 'From: Team:three@mill.example;', { from: 'three@mill.example', name: null }],
  [
    'a named member of a group',
    'From: "The: team": Ina <ina@mill.example>, Bo <bo@mill.example>;',
    { from: 'ina@mill.example', name: 'Ina' },
  ],
  ['Sender stands in for From', 'Sender: olga@tram.example', { from: 'olga@tram.example' }],
  [
    'Reply-To stands in for an empty group',
    'From: undisclosed-recipients:;\nReply-To: Rui <rui@tram.example>',
    { from: 'rui@tram.example', name: 'Rui' },
  ],
  ['Return-Path stands in for all', 'Return-Path: <path@tram.example>', { from: 'path@tram.example' }],
  ['Resent-From stands in for all', 'Resent-From: re@tram.example', { from: 're@tram.example' }],
  ['an empty From is none', 'From: <>\nSender: <sec@tram.example>', { from: 'sec@tram.example' }],
  [
    'a mailbox in one encoded word',
    'From: =?utf-8?q?Ma=C3=ABlle_=3Cmaelle=40tram.example=3E?=',
    { from: 'maelle@tram.example', name: 'Maëlle' },
  ],
  ['an address in one encoded word', 'From: =?utf-8?b?d29yZEB0cmFtLmV4YW1wbGU=?=', { from: 'word@tram.example' }],
  ['an account of a machine', 'From: backup', { from: 'backup@without-domain.invalid', name: 'backup' }],
  ['an account with a comment', 'From: MAILER (Mail System)', { from: 'mailer@without-domain.invalid' }],
  ['a mail of nobody', 'From:', { from: 'unknown@without-sender.invalid', name: null }],
  ['quotes around an address', "From: 'quoted@tram.example'", { from: 'quoted@tram.example' }],
  ['quotes in the brackets', "From: Ana <'within@tram.example'>", { from: 'within@tram.example', name: 'Ana' }],
  ['the last of two senders', 'From: a@old.example\nFrom: b@new.example', { from: 'b@new.example' }],
  ['raw Latin-1 in the name', 'From: Ren\xe9e <renee@tram.example>', { from: 'renee@tram.example', name: 'Renée' }],
  ['a comment is the name', 'From: comment@tram.example (Ida Bo)', { from: 'comment@tram.example', name: 'Ida Bo' }],
  ['two dots', 'From: kai..mori@docomo.example', { from: 'kai..mori@docomo.example' }],
  ['a dot at the end of the name', 'From: kai.@docomo.example', { from: 'kai.@docomo.example' }],
  [
    'the long name of a list',
    `From: <bounce-${'v'.repeat(80)}@list.example>`,
    { from: `bounce-${'v'.repeat(80)}@list.example` },
  ],
  ['a quoted blank', 'From: "ana ruiz"@quoted.example', { from: '"ana ruiz"@quoted.example' }],
  ['quotes that are not needed', 'From: "lea"@quoted.example', { from: 'lea@quoted.example' }],
  ['a quoted semicolon', 'From: "a;b"@quoted.example', { from: '"a;b"@quoted.example' }],
  ['a quote that is not closed', 'From: "Uma <uma@quoted.example>', { from: 'uma@quoted.example', name: 'Uma' }],
  ['a link', 'From: Pia <mailto:pia@tram.example>', { from: 'pia@tram.example', name: 'Pia' }],
  ['a link with a subject', 'From: <MAILTO:mo@tram.example?subject=x>', { from: 'mo@tram.example' }],
  ['a blank behind the @', 'From: <blank@ tram.example>', { from: 'blank@tram.example' }],
  ['a blank before the @', 'From: <before @tram.example>', { from: 'before@tram.example' }],
  ['a comma in the address', 'From: <one,two@tram.example>', { from: 'one,two@tram.example' }],
  ['a comment in the address', 'From: <(c)com@tram.example>', { from: 'com@tram.example' }],
  ['a route', 'From: <@relay.example:route@tram.example>', { from: 'route@tram.example' }],
  ['an address of a machine', 'From: lit@[192.0.2.7]', { from: 'lit@[192.0.2.7]' }],
  ['two dots in the domain', 'From: dots@tram..example', { from: 'dots@tram..example' }],
  ['a dot behind the domain', 'From: end@tram.example.', { from: 'end@tram.example' }],
  ['invisible characters', 'From: <\xe2\x80\x8bzero@tram.example>', { from: 'zero@tram.example' }],
  ['a bracket that is not closed', 'From: Leo <leo@tram.example', { from: 'leo@tram.example', name: 'Leo' }],
  ['text behind the bracket', 'From: Leo <le@tram.example> (work)', { from: 'le@tram.example', name: 'Leo' }],
  [
    'Reply-To is who gets the answer',
    'From: "Site" <site@tea.example>\nReply-To: Luis <luis@example.com>',
    {
      from: 'luis@example.com',
      name: 'Luis',
      message: { sender: { address: 'site@tea.example', name: 'Site' }, reply_to: { address: 'luis@example.com' } },
    },
  ],
  [
    'a form names nobody as the writer',
    'From: "Site" <site@tea.example>\nReply-To: mia@example.com',
    { from: 'mia@example.com', name: null },
  ],
  [
    'another address of the writer',
    'From: Gil Abe <gil.abe@work.example>\nReply-To: gil.abe@home.example',
    { from: 'gil.abe@home.example', name: 'Gil Abe' },
  ],
  [
    'a broken Reply-To counts for nothing',
    'From: Ned <ned@tea.example>\nReply-To: nobody at all',
    { from: 'ned@tea.example', name: 'Ned' },
  ],
  [
    'a list wrote the own address into From',
    `From: 'Zoe' via Support <${OWN}>\nReply-To: Zoe <zoe@example.com>`,
    { from: 'zoe@example.com', name: 'Zoe', message: { sender: { address: OWN } } },
  ],
  [
    'a list kept the author elsewhere',
    `From: 'Yan' via Support <${OWN}>\nX-Original-Sender: yan@example.com`,
    { from: 'yan@example.com' },
  ],
  [
    'the own address in Reply-To is passed over',
    `From: Xia <xia@example.com>\nReply-To: ${OWN}, Support <support+tag@parley.test>`,
    { from: 'xia@example.com', name: 'Xia' },
  ],
  ['the own address alone is nobody', `From: ${OWN}`, { from: 'unknown@without-sender.invalid' }],
  [
    'the answer to a list goes to the writer',
    'From: Wim <wim@example.com>\nReply-To: tea@list.example\nList-Post: <mailto:tea@list.example>',
    { from: 'wim@example.com' },
  ],
  [
    'name and address in one encoded word',
    'From: =?utf-8?Q?"Lia_N=C3=BA=C3=B1ez"_<lia@example.com>?=',
    { from: 'lia@example.com', name: 'Lia Núñez' },
  ],
  [
    'a field for each of the others',
    'From: udo@example.com\nCc: Bo <bo@example.com>\nCc: mo@example.com',
    {
      from: 'udo@example.com',
      message: { cc: [{ address: 'bo@example.com', name: 'Bo' }, { address: 'mo@example.com' }] },
    },
  ],
  [
    'many others',
    `From: eva@example.com\nCc: ${Array.from({ length: 60 }, (_, at) => `p${at}@example.com`).join(', ')}`,
    {
      from: 'eva@example.com',
      message: { cc: Array.from({ length: 60 }, (_, at) => ({ address: `p${at}@example.com` })) },
    },
  ],
]

const mailOf = (head: string, index: number) =>
  Buffer.from(`${head}\nTo: ${OWN}\nMessage-ID: <s${index}@x>\n\nHello\n`.replaceAll('\n', '\r\n'), 'latin1')

t.test('the command brings each of them', async (t) => {
  for (const [index, [rule, head]] of rows.entries())
    t.match(await run(args, {}, mailOf(head, index)), { code: 0, err: '' }, rule)
})

t.test('the contact is the person behind the mail', async (t) => {
  const page = await tenant.api('GET', 'messages?channel=email&status=received&limit=200')
  const messages = new Map(page.body.data.map((one: Json) => [one.provider_message_id, one] as const))
  const { data } = (await tenant.api('GET', 'contacts?limit=200')).body
  const names = new Map(data.map(({ user_id, name }: Json) => [user_id, name] as const))
  for (const [index, [rule, , { name, ...expected }]] of rows.entries()) {
    t.match(
      messages.get(`<s${index}@x>`),
      { ...expected, message: { body: 'Hello', ...(expected.message as object) } },
      rule,
    )
    if (name !== undefined) t.equal(names.get(expected.from), name, `the name: ${rule}`)
  }
})

t.test('people who use the same form are two contacts, and the answer goes to each of them', async (t) => {
  const { data } = (await tenant.api('GET', 'contacts?limit=200')).body
  const ids = (data as Json[]).map(({ user_id }) => user_id)
  t.notOk(ids.includes('site@tea.example') || ids.includes(OWN))
  const send = async (to: string) =>
    (await made(tenant.api('POST', 'messages', { channel: 'email', to, message: { type: 'text', body: 'Hi' } }))).id
  for (const to of ['luis@example.com', 'kai.@docomo.example', 'one,two@tram.example'])
    await tenant.message(await send(to), 'sent')
  t.same(
    mail_server.mails.map(({ to }) => to),
    [['luis@example.com'], ['"kai."@docomo.example'], ['"one,two"@tram.example']],
  )
  // This server takes neither; Postfix takes both.
  for (const to of ['kai..mori@docomo.example', '"ana ruiz"@quoted.example'])
    t.match(await tenant.message(await send(to), 'failed'), { error: { code: '501', message: /recipient/ } })
})

t.test('a send to what is no address says so', async (t) => {
  for (const to of ['unknown@without-sender.invalid', 'dots@tram..example']) {
    const message = { type: 'text', body: 'Hi' }
    t.match(await tenant.api('POST', 'messages', { channel: 'email', to, message }), {
      status: 422,
      body: { error: { code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL' } },
    })
  }
})

t.test('what is no e-mail is refused for good', async (t) => {
  for (const text of ['hello', '', 'Subject: x\n\nHello'])
    t.match(await run(args, {}, text), { code: 65, err: /no sender/ })
})
