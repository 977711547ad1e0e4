/** Mails that make parsers slow, each read in a thread as the command does. `inbound_mail.test.ts` parses them in its process. */
import t from 'tap'
import { readMail } from '../../http/cli/email/inbound_mail.ts'
import { differentMails } from './hostile_mails.ts'

for (const [shape, mail] of differentMails(100_000)) {
  t.test(`a mail of ${shape} is brought, whole or as unreadable`, async (t) => {
    t.match(await readMail(mail), { body: { from: { address: 'mallory@x.test' }, subject: 'Hello' } })
  })
}
