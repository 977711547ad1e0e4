import { createHmac } from 'node:crypto'
import { createTransport } from 'nodemailer'
import t from 'tap'
import { startSimulator } from '../../http/simulator/mod.ts'
import { fixture } from './fixture.ts'
import { startReceiver } from './receiver.ts'

const mailbox = { address: 'support@parley.test', password: 'p@ss:word', inbound_secret: 'a secret of some length' }

t.test('mails of a stock client are recorded unchanged, for the account that signed in', async (t) => {
  const simulator = await startSimulator({ numbers: [], mailboxes: [mailbox] })
  t.teardown(() => simulator.close())
  const transport = (pass: string) => {
    const client = createTransport({
      host: '127.0.0.1',
      port: simulator.smtp_port!,
      auth: { user: mailbox.address, pass },
      pool: true,
      maxConnections: 1,
    })
    t.teardown(() => client.close())
    return client
  }
  const mail = { from: mailbox.address, to: ['ana@example.com', 'ben@example.com'], subject: 'Order 7' }
  const client = transport(mailbox.password)
  const { messageId } = await client.sendMail({ ...mail, text: 'A line\n.\n..and its dots' })
  await client.sendMail({ ...mail, to: 'cem@example.com', text: 'over the same connection' })
  await t.rejects(transport('wrong').sendMail({ ...mail, text: 'no' }), { message: /535/ })
  const { data } = (await (await fetch(`${simulator.url}/_control/sent`)).json()) as { data: object[] }
  t.match(data, [
    { id: messageId, channel: 'email', recipient: 'ana@example.com', body: { subject: 'Order 7' } },
    { id: messageId, recipient: 'ben@example.com', body: { content: /A line\r\n\.\r\n\.\.and its dots\r\n$/ } },
    { recipient: 'cem@example.com', body: { content: /over the same connection/ } },
  ])
  t.equal(data.length, 3)
})

t.test('a mail of a person is delivered with a signature', async (t) => {
  const receiver = await startReceiver('')
  t.teardown(() => receiver.close())
  const { control } = await fixture(t, { mailboxes: [mailbox] })
  const write = (fields: object) => control('POST', 'inbound', { channel: 'email', from: 'ana@example.com', ...fields })
  t.match(await write({ message: 'Hi' }), { status: 409, body: { error: { code: 'NO_WEBHOOK' } } })
  await control('PUT', 'mailboxes', { address: mailbox.address, webhook_url: receiver.url })
  t.match(await write({ message: 'Hi', context: { message_id: '<a@b>' } }), { body: { webhook: { status: 200 } } })
  const { headers, raw, body } = receiver.calls.at(-1)!
  t.match(body, { from: { address: 'ana@example.com' }, to: mailbox.address, text: 'Hi', in_reply_to: '<a@b>' })
  const [, time, proof] = /^t=(\d+),v1=(.*)$/.exec(String(headers['x-parley-signature'])) ?? []
  t.equal(proof, createHmac('sha256', mailbox.inbound_secret).update(`${time}.${raw}`).digest('hex'))
  await write({ message: 'We open at nine', by_business: true })
  t.match(receiver.calls.at(-1)!.body, {
    from: { address: mailbox.address },
    to: 'ana@example.com',
    text: 'We open at nine',
  })
  t.match(await write({ from: 'ana', message: 'Hi' }), { status: 400 })
  t.match(await write({ message: 'Hi', account_id: 'no@parley.test' }), { status: 404 })
  t.match((await control('GET', 'mailboxes')).body, { data: [{ address: mailbox.address }] })
  t.notMatch(JSON.stringify((await control('GET', '')).body), mailbox.password)
})
