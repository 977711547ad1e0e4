/** Loops end: programs that write to each other are left to people, and automatic mail is never answered. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { joinedText, parseMail } from '../../http/cli/email/parse_mail.ts'
import { startMailServer, USER } from '../actors/providers/email/mail_server.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const SECRET = 'the secret of the inbound hook'
const world = await joinWorld(t)
const mail_server = await startMailServer(t)

/** An assistant that answers mails at an address. */
async function mailDesk(from: string) {
  const tenant = await makeTenant(world)
  const { webhook_path } = await made(
    world.operator('POST', 'channels', {
      project_id: tenant.project_id,
      channel_type: 'email',
      provider: 'cloud',
      name: 'Support',
      credentials: { smtp_url: mail_server.url, from, inbound_secret: SECRET },
    }),
  )
  const arrive = async (mail: Json) => {
    const raw = JSON.stringify(mail)
    const time = Math.floor(Date.now() / 1000)
    const v1 = createHmac('sha256', SECRET).update(`${time}.${raw}`).digest('hex')
    const headers = { 'x-parley-signature': `t=${time},v1=${v1}`, 'content-type': 'application/json' }
    const { status } = await fetch(`${world.base_url}${webhook_path}`, { method: 'POST', headers, body: raw })
    t.equal(status, 200)
  }
  const arrived = (count: number): Promise<Json[]> =>
    eventually(`${count} mails are here`, async () => {
      const { data } = await made(tenant.api('GET', 'messages?channel=email&status=received&limit=200'))
      return data.length >= count && data
    })
  return { tenant, arrive, arrived, desk: await openDesk(world, tenant) }
}

/** The mails that left for an address. */
const sentTo = (address: string) => mail_server.mails.filter(({ to }) => to.includes(address)).map(({ mail }) => mail)

let mails = 0
const personMail = (text: string, address = `ana${++mails}@people.example`) => ({
  message_id: `<m${process.pid}.${++mails}@people.example>`,
  from: { address, name: 'Ana' },
  subject: 'My order',
  text,
})

t.test('two assistants that get each other’s mail stop after one', async (t) => {
  const [ours, theirs] = [`ours${process.pid}@one.example`, `theirs${process.pid}@two.example`]
  const [one, two] = [await mailDesk(ours), await mailDesk(theirs)]
  const mark = `mail-${process.pid}`
  await one.desk.script(mark, { answer: `It arrives tomorrow, ${mark}.` })
  await one.arrive(personMail(`Where is my order? ${mark}`, theirs))
  const [mail] = await eventually('the answer left', () => sentTo(theirs).length > 0 && sentTo(theirs))
  t.equal(mail!.headers.get('auto-submitted'), 'auto-generated', 'ours says that no person wrote it')
  await two.arrive({
    message_id: mail!.messageId,
    from: { address: ours },
    subject: mail!.subject,
    text: mail!.text,
    auto_submitted: mail!.headers.get('auto-submitted'),
  })
  await two.arrive(personMail(`And mine? ${mark}`))
  await two.arrived(2)
  await eventually('the person is answered', async () => (await two.desk.turns()).some(({ outcome }) => outcome))
  t.same(sentTo(ours), [], 'the other assistant does not answer')
  t.equal((await two.desk.turns()).length, 1)
  t.equal(sentTo(theirs).length, 1)
})

const AUTOMATIC: [name: string, head: string, text?: string][] = [
  ['an answer of a program', 'From: Ana <ana@people.example>\nSubject: Hello\nAuto-Submitted: auto-replied\n'],
  ['an absence', 'From: Ana <ana@people.example>\nSubject: Out of office\nX-Autoreply: yes\n'],
  ['an absence that only its subject tells', 'From: Ana <ana2@people.example>\nSubject: Automatische Antwort: Hallo\n'],
  ['a list', 'From: Ana <ana@people.example>\nSubject: [list] Hi\nList-Id: <list.people.example>\n'],
  ['a newsletter', 'From: Shop <shop@people.example>\nSubject: Sale\nList-Unsubscribe: <https://people.example/u>\n'],
  ['bulk mail', 'From: Shop <shop@people.example>\nSubject: Sale\nPrecedence: bulk\n'],
  ['a sender that nobody reads', 'From: Shop <no-reply@people.example>\nSubject: Your parcel\n'],
  ['a daemon without a report', 'From: MAILER-DAEMON <mailer-daemon@mx.example>\nSubject: Warning\n'],
  [
    'a bounce',
    'From: Mail Delivery System <mailer-daemon@mx.example>\nSubject: Undelivered Mail Returned to Sender\n',
    '550 5.1.1 no such user\n\nMessage-ID: <msg_6b01199073cb499e66000000.0123456789abcdef@parley.test>',
  ],
]

t.test('automatic mail is never answered, and the next person is', async (t) => {
  const { arrive, arrived, desk } = await mailDesk(USER.name)
  const mark = `auto-${process.pid}`
  let count = 0
  for (const [name, head, text = 'Where is my order?'] of AUTOMATIC) {
    const mail = `${head}To: ${USER.name}\nMessage-ID: <a${++mails}.${process.pid}@x>\nContent-Type: text/plain\n\n${text} ${mark}\n`
    const parsed = await parseMail(Buffer.from(mail.replaceAll('\n', '\r\n')))
    if ('body' in parsed) {
      count += 1
      await arrive({ ...parsed.body, text: joinedText(parsed.pieces) || `${text} ${mark}` })
    } else if ('bounce' in parsed) await arrive({ bounce: parsed.bounce })
    t.notOk('unusable' in parsed, `${name} is read`)
  }
  await arrived(count)
  await desk.script('a person asks', { answer: 'It arrives tomorrow.' })
  await arrive(personMail(`Where is my order? a person asks ${mark}`))
  await eventually('the person is answered', async () =>
    (await desk.turns()).some(({ answer }) => answer === 'It arrives tomorrow.'),
  )
  t.match(await desk.turns(), [{ outcome: 'answered', answer: 'It arrives tomorrow.' }])
  t.equal((await desk.turns()).length, 1, 'nothing else was looked at')
})

t.test('two assistants that write to each other stop within six messages', async (t) => {
  const mark = `loop-${process.pid}`
  const open = async () => {
    const tenant = await makeTenant(world)
    return { tenant, desk: await openDesk(world, tenant), phone: newPerson(), passed: 0 }
  }
  const [ours, theirs] = [await open(), await open()]
  const numbers = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth']
  await ours.desk.script(
    `ours ${mark}`,
    ...numbers.map((number) => ({ answer: `This is my ${number} question, theirs ${mark}` })),
  )
  await theirs.desk.script(`theirs ${mark}`, { answer: `Thank you for your message, ours ${mark}`, times: 20 })
  /** Carries answers of one to the other, whose words come from `phone`. */
  const carry = async (from: typeof ours, to: typeof ours) => {
    const answers = await from.desk.answersOf(from.phone)
    for (const { message } of answers.slice(from.passed)) await to.desk.says(to.phone, message.body)
    from.passed = answers.length
  }
  await ours.desk.says(ours.phone, `Hello, ours ${mark}`)
  await eventually('one of them is left to people', async () => {
    await carry(ours, theirs)
    await carry(theirs, ours)
    const tickets = await Promise.all([isLeft(ours), isLeft(theirs)])
    return tickets.some(Boolean)
  })
  t.ok(ours.passed + theirs.passed <= 6, `${ours.passed} and ${theirs.passed} messages`)
})

async function isLeft({ desk, phone }: { tenant: Tenant; desk: Awaited<ReturnType<typeof openDesk>>; phone: string }) {
  return (await desk.contactOf(phone)) !== undefined && (await desk.ticketOf(phone))?.handled_by === 'person'
}
