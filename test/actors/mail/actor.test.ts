import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { mailActor, smtpMailer } from '../../../actors/mail/mod.ts'
import type { Log } from '../../../runtime/mod.ts'
import { forgetMails } from '../../../storage/mod.ts'
import { startNode } from '../../runtime/support/start_node.ts'
import { until } from '../../runtime/support/wait.ts'
import { issue } from '../../support/certificates.ts'
import { type Owner, testDatabase, testNats } from '../../support/mod.ts'
import { type SmtpFault, startSmtp } from '../../support/smtp.ts'

const MAIL = { type: 'send', to: 'ana@example.com', subject: 'Grüße', text: 'Dear Ana,\n\n.\nñandú\n' } as const
const FROM = 'Parley <parley@mail.example.com>'

type Line = { level: string; message: string; [field: string]: unknown }

function memoryLog(): { log: Log; lines: Line[] } {
  const lines: Line[] = []
  const keep = (level: string) => (fields: object, message: string) => void lines.push({ level, message, ...fields })
  return { log: { debug() {}, info() {}, warn: keep('warn'), error: keep('error') }, lines }
}

type Changes = { deadline_ms?: number; retry_ms?: number; doubt_ms?: number; cluster?: object }

/** Starts a node with the actor and a mail server. */
async function start(t: Owner, changes: Changes = {}) {
  const smtp = await startSmtp(t)
  const { database, url } = await testDatabase(t)
  const nats = await testNats(t)
  const { log, lines } = memoryLog()
  const { deadline_ms = 1500, cluster, ...waits } = changes
  const mailer = smtpMailer({ url: smtp.url, from: FROM, deadline_ms })
  const mails = mailActor({ mailer, log, retry_ms: 5, ...waits })
  const node = await startNode(t, { database, nats }, [mails], { cluster })
  const status = async (key: string) => {
    const [row] = await database.execute(`select state from actor_state where address = 'mail/${key}'`)
    return (row?.state as { status: string } | undefined)?.status
  }
  return { smtp, database, database_url: url, nats, lines, mails, node, status }
}

t.test('a mail is sent once per key, however often it is told', async (t) => {
  const { smtp, mails, node, status, database } = await start(t)
  for (let n = 0; n < 3; n++) await node.tell(mails.address('a:1'), MAIL)
  await node.tell(mails.address('b'), { ...MAIL, to: 'luis@example.com' })
  await until(async () => (await status('a:1')) === 'sent' && (await status('b')) === 'sent')
  await node.tell(mails.address('a:1'), { ...MAIL, subject: 'Another' })
  await node.tell(mails.address('c'), MAIL)
  await until(async () => (await status('c')) === 'sent')
  t.equal(smtp.mails.length, 3)
  const mail = smtp.mails.find(({ headers }) => headers['message-id'] === '<parley.a%3A1@mail.example.com>')!
  t.match(mail, { from: 'parley@mail.example.com', to: ['ana@example.com'], user: null })
  t.match(mail.headers, { from: FROM, to: 'ana@example.com', subject: /^=\?UTF-8\?/ })
  t.equal(mail.text.trim(), MAIL.text.trim())
  t.ok(Math.abs(Date.parse(mail.headers.date!) - Date.now()) < 60_000)
  const rows = await database.execute('select state from actor_state')
  t.notMatch(JSON.stringify(rows), /ana@example/, 'what was sent is not kept')
  t.strictSame(await database.execute('select * from timer'), [])
})

t.test('the user and the password of the URL sign in', async (t) => {
  const smtp = await startSmtp(t)
  const url = smtp.url.replace('//', '//parley:p%40ss@')
  const mail = { to: 'ana@example.com', subject: 'x', text: 'x', message_id: 'x@y', date: new Date() }
  t.same(await smtpMailer({ url, from: FROM }).send(mail), { kind: 'sent' })
  t.equal(smtp.mails[0]!.user, 'parley:p@ss')
  smtp.fail({ at: 'AUTH', reply: '535 wrong' })
  const refused = await smtpMailer({ url, from: FROM }).send(mail)
  t.match(refused, { kind: 'failed', error: /535 wrong/ }, 'a refused sign-in says nothing of the mail')
  t.notMatch(JSON.stringify(refused), 'p@ss')
  t.match(await smtpMailer({ url, from: FROM }).send({ ...mail, to: 'nobody' }), { kind: 'refused' })
  t.match(await smtpMailer({ url: 'smtp://127.0.0.1:1', from: FROM }).send(mail), { kind: 'failed' }, 'nobody listens')
})

t.test('TLS is verified, against authorities of the installation too', async (t) => {
  const authority = issue({ name: 'authority', is_authority: true })
  const smtp = await startSmtp(t, issue({ name: 'mail', hosts: ['127.0.0.1'], by: authority }))
  const mail = { to: 'ana@example.com', subject: 'x', text: 'x', message_id: 'x@y', date: new Date() }
  t.match(await smtpMailer({ url: smtp.url, from: FROM }).send(mail), { kind: 'failed', error: /certificate/ })
  const knowing = smtpMailer({ url: smtp.url, from: FROM, certificates: [authority.cert] })
  t.same(await knowing.send(mail), { kind: 'sent' })
  t.equal(smtp.mails.length, 1)
})

const transient: SmtpFault[] = [
  { at: 'connect', reply: '421 busy' },
  { at: 'connect', reply: 'drop' },
  { at: 'MAIL', reply: '451 later' },
  { at: 'RCPT', reply: '450 greylisted' },
  { at: 'RCPT', reply: 'drop' },
  { at: 'DATA', reply: '452 full' },
  { at: 'end', reply: '451 later' },
  { at: 'MAIL', reply: 'hang' },
]

t.test('a temporary failure is tried again', async (t) => {
  const { smtp, mails, node, status, lines } = await start(t)
  for (const [index, fault] of transient.entries()) {
    const what = `${fault.at} ${fault.reply}`
    const before = smtp.connections()
    smtp.fail(fault)
    await node.tell(mails.address(`t${index}`), MAIL)
    await until(async () => (await status(`t${index}`)) === 'sent')
    t.equal(smtp.connections() - before, 2, what)
    t.equal(smtp.mails.length, index + 1, what)
  }
  t.equal(lines.filter(({ level }) => level === 'warn').length, transient.length)
  t.equal(lines.filter(({ level }) => level === 'error').length, 0)
})

const refusals: SmtpFault[] = [
  { at: 'MAIL', reply: '550 not you' },
  { at: 'RCPT', reply: '550 no such user' },
  { at: 'DATA', reply: '554 no' },
  { at: 'end', reply: '554 spam' },
]

t.test('a refusal is the end, and is in the log', async (t) => {
  const { smtp, mails, node, status, lines, database } = await start(t)
  for (const [index, fault] of refusals.entries()) {
    smtp.fail(fault)
    await node.tell(mails.address(`r${index}`), MAIL)
    await until(async () => (await status(`r${index}`)) === 'given_up')
  }
  t.equal(smtp.connections(), refusals.length)
  t.equal(smtp.mails.length, 0)
  await until(() => lines.length === refusals.length)
  for (const [index, { reply }] of refusals.entries()) {
    const [code] = reply.split(' ')
    t.match(lines[index], { level: 'error', message: 'a mail could not be sent', mail: `r${index}`, attempts: 1 })
    t.match(lines[index]!.error, code)
  }
  t.strictSame(await database.execute('select * from timer'), [])
})

t.test('a mail is given up when the mail system never takes it', async (t) => {
  const { smtp, mails, node, status, lines } = await start(t, { retry_ms: 1 })
  smtp.fail(...Array.from({ length: 20 }, (): SmtpFault => ({ at: 'RCPT', reply: '450 later' })))
  await node.tell(mails.address('never'), MAIL)
  await until(async () => (await status('never')) === 'given_up')
  t.equal(smtp.connections(), 12)
  await until(() => lines.at(-1)?.level === 'error')
  t.match(lines.at(-1), { attempts: 12 })
})

t.test('a mail that was taken and not confirmed comes again as the same mail', async (t) => {
  const { smtp, mails, node, status } = await start(t)
  smtp.fail({ at: 'end', reply: 'drop' })
  await node.tell(mails.address('doubt'), MAIL)
  await until(async () => (await status('doubt')) === 'sent')
  t.equal(smtp.mails.length, 2)
  t.strictSame(smtp.mails[0], smtp.mails[1], 'down to the Message-ID and the date')
})

t.test('a node killed while it sends loses no mail; the next one sends it as the same mail', async (t) => {
  const { smtp, nats, database_url, database, mails, node, status } = await start(t, { doubt_ms: 300 })
  await node.stop()
  smtp.fail({ at: 'end', reply: 'hang' })
  const broker = { NATS: nats.url, PREFIX: nats.prefix, REPLICAS: String(nats.replicas) }
  const child = spawn(process.execPath, [fileURLToPath(new URL('run_mail.ts', import.meta.url))], {
    env: { ...process.env, ...broker, DATABASE: database_url, SMTP: smtp.url, MAIL: JSON.stringify(MAIL) },
    stdio: 'inherit',
  })
  t.teardown(() => child.kill('SIGKILL'))
  await until(() => smtp.mails.length === 1, 30_000)
  t.equal(await status('crash'), 'sending', 'an attempt is stored before it is made')
  child.kill('SIGKILL')
  await once(child, 'close')
  await startNode(t, { database, nats }, [mails])
  await until(async () => (await status('crash')) === 'sent', 30_000)
  const [before, ...again] = smtp.mails.map(({ headers, text }) => ({
    id: headers['message-id'],
    date: headers.date,
    text,
  }))
  t.match(before!.id, /^<parley\.crash@/)
  // An attempt that a busy machine makes slow is in doubt, too.
  t.ok(again.length >= 1)
  for (const after of again) t.strictSame({ ...before, id: '' }, { ...after, id: '' })
})

t.test('a node that leaves waits for the mail system; nobody sends the mail again', async (t) => {
  const { smtp, nats, database, mails, node, status } = await start(t, { deadline_ms: 10_000, cluster: {} })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  smtp.hold(held)
  await node.tell(mails.address('leaving'), MAIL)
  await until(() => smtp.connections() === 1)
  const next = await startNode(t, { database, nats }, [mails], { cluster: {} })
  const left = node.stop(1000, 20_000)
  const owners = async () => (await database.execute('select distinct owner from partition')).map(({ owner }) => owner)
  await until(async () => (await owners()).join() === next.id)
  release()
  await left
  await until(async () => (await status('leaving')) === 'sent')
  t.equal(smtp.mails.length, 1)
  await next.tell(mails.address('leaving'), MAIL)
  await next.tell(mails.address('next'), MAIL)
  await until(async () => (await status('next')) === 'sent')
  t.equal(smtp.mails.length, 2)
})

t.test('without a mail server mails are dropped, with one warning', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const { log, lines } = memoryLog()
  const mails = mailActor({ mailer: null, log })
  const node = await startNode(t, { database, nats }, [mails])
  for (const key of ['a', 'b', 'c']) await node.tell(mails.address(key), MAIL)
  const dropped = async () =>
    (await database.execute(`select * from actor_state where state->>'status' = 'dropped'`)).length
  await until(async () => (await dropped()) === 3)
  t.match(lines, [{ level: 'warn', message: /PARLEY_SMTP_URL is not set/ }])
  t.equal(lines.length, 1)
})

t.test('the record of a mail is deleted some days after its end, by the clock of the database', async (t) => {
  const { mails, node, status, database, smtp } = await start(t)
  const row = async (key: string) =>
    (await database.execute(`select state from actor_state where address = 'mail/${key}'`))[0]?.state as
      | { status: string; ended_at?: string }
      | undefined
  for (const key of ['old', 'new']) await node.tell(mails.address(key), MAIL)
  await until(async () => (await status('old')) === 'sent' && (await status('new')) === 'sent')
  const waiting = { status: 'waiting', attempts: 1, to: 'x', subject: '', text: '', told_at: '2020-01-01T00:00:00Z' }
  const store = (address: string, state: object) =>
    database.execute('insert into actor_state (address, state) values (?, ?::jsonb)', [address, JSON.stringify(state)])
  await store('mail/waiting', waiting)
  await store('other/sent', { status: 'sent' })
  t.equal(await forgetMails(database, 90), 0, 'the time of the end is not known before')
  t.match(await row('old'), { status: 'sent', ended_at: String })
  await database.execute(`update actor_state set state = state || jsonb_build_object('ended_at', now() - interval '91 days')
    where address = 'mail/old'`)
  t.equal(await forgetMails(database, 90), 1)
  t.strictSame(await row('old'), undefined)
  t.match(await row('new'), { status: 'sent' })
  t.strictSame(await row('waiting'), waiting)
  t.equal((await database.execute(`select 1 from actor_state where address = 'other/sent'`)).length, 1)
  await node.tell(mails.address('new'), MAIL)
  await node.tell(mails.address('later'), MAIL)
  await until(async () => (await status('later')) === 'sent')
  t.equal(smtp.mails.length, 3, 'what is left still keeps a mail from being sent twice')
})
