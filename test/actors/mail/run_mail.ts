/** A node that sends one mail, and that the test kills meanwhile. */
import { mailActor, smtpMailer } from '../../../actors/mail/mod.ts'
import { Node, silentLog } from '../../../runtime/mod.ts'
import { openDatabase } from '../../../storage/mod.ts'

const { DATABASE, NATS, PREFIX, REPLICAS, SMTP, MAIL } = process.env as Record<string, string>
const mails = mailActor({
  mailer: smtpMailer({ url: SMTP!, from: 'parley@example.com' }),
  log: silentLog,
  // The test kills this node before then: it must not send the mail again itself.
  doubt_ms: 5_000,
})
const database = await openDatabase({ url: DATABASE! })
const place = { nats_url: NATS!, prefix: PREFIX!, replicas: Number(REPLICAS), partitions: 4 }
const node = await Node.start({ database, ...place, kinds: [mails] })
await node.tell(mails.address('crash'), JSON.parse(MAIL!))
