/** Visitors of a web chat who leave, and the mailbox to which unread messages go. */

import type { Config } from '../../http/app/settings/mod.ts'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { connectWeb, type Visitor, visitPage } from '../http/visitor_page.ts'
import { type Owner, startSmtp } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant, type Outside, type Tenant, text } from './fixture.ts'

export const MAIL_SECRET = 'the secret of the inbound hook'

type Gone = Visitor & { email: string | undefined; send(message: string | Json): Promise<Json> }

/** A project with a web chat and a mailbox, and its visitors. */
export async function openShop(
  t: Owner,
  world: Outside & { config: Config },
  { minutes = 60 as number | null, has_mailbox = true } = {},
) {
  const smtp = await startSmtp(t)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const tenant = await makeTenant(world)
  const { project_id } = tenant
  const channel = await connectWeb(world, tenant, { allowed_origins: 'https://shop.example' })
  const mailbox = has_mailbox ? await connectMailbox(world, tenant, smtp.url) : undefined
  const set = (unread_mail_minutes: unknown) =>
    world.operator('PATCH', `projects/${project_id}`, { unread_mail_minutes })
  if (minutes !== null) await made(set(minutes))

  /** A visitor who has written, has left the address, and has gone. */
  async function visit({ email, browser }: { email?: string; browser?: Json } = {}): Promise<Gone> {
    const page = await open()
    page.socket.emit('browser', browser ?? {})
    await page.write('Hello')
    if (email !== undefined) await page.ask('email', { email })
    page.socket.disconnect()
    const send: Gone['send'] = async (said) => {
      const message = typeof said === 'string' ? text(said) : said
      const sent = await made(
        tenant.api('POST', 'messages', { channel: 'web', channel_id: channel, to: page.user_id, message }),
      )
      return tenant.message(sent.id, 'sent', 'delivered', 'read')
    }
    return Object.assign(page, { email, send })
  }
  const open = (token?: string) =>
    visitPage(t, { base_url: world.base_url, channel, token, origin: 'https://shop.example' })
  const mailsTo = (email: string) => smtp.mails.filter(({ headers }) => headers.to === email)
  return { smtp, database, tenant, channel, mailbox, set, visit, open, mailsTo, ...timersOf(database, tenant) }
}

/** A node finds the timers when it starts, or within twenty seconds. */
function timersOf(database: Database, { project_id }: Tenant) {
  const where = `address = 'project/${project_id}' and name like 'unread_mail/%'`
  const timers = async () =>
    (await database.execute<Json>(
      `select name, due_at > now() as is_ahead, due_at > now() + interval '5 minutes' as is_later from timer where ${where}`,
    )) as {
      name: string
      is_ahead: boolean
      is_later: boolean
    }[]
  const turnBack = () => database.execute(`update timer set due_at = due_at - interval '90 minutes' where ${where}`)
  const settled = () => eventually('no timer is due', async () => (await timers()).every(({ is_later }) => is_later))
  return { timers, turnBack, settled }
}

async function connectMailbox(world: Outside, { project_id }: Tenant, smtp_url: string): Promise<Json> {
  const credentials = {
    smtp_url: smtp_url.replace('//', '//user:word@'),
    from: `support-${project_id}@shop.example`,
    inbound_secret: MAIL_SECRET,
  }
  const fields = { project_id, channel_type: 'email', provider: 'cloud', name: 'Mail', credentials }
  return made(world.operator('POST', 'channels', fields))
}
