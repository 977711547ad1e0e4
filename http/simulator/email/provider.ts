/** Mailboxes: an SMTP server that records sent mails, and a mail system that delivers mails from people. */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { type Answer, ControlRefusal, ok } from '../answer.ts'
import type { ControlRoute } from '../control_route.ts'
import type { Mailbox } from '../options.ts'
import type { Provider, World } from '../provider.ts'
import { registryRoutes } from '../registry_routes.ts'
import { sampleOf } from '../sample_files.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import { Mailboxes, mailboxRecord } from './mailboxes.ts'
import type { SentMail, SmtpHandler } from './smtp.ts'

type Json = Record<string, unknown>

const FIELDS = ['channel', 'from', 'message', 'name', 'account_id', 'context', 'id', 'by_business']

export function emailProvider(world: World, known: Mailbox[]): Provider & { smtp: SmtpHandler } {
  const mailboxes = new Mailboxes(known)
  return {
    channel: 'email',
    serve: () => undefined,
    inbound: (body) => injectInbound(world, mailboxes, body),
    control: controlRoutes(mailboxes),
    describe: () => ({ mailboxes: mailboxes.all().map(mailboxRecord) }),
    smtp: {
      signIn: (user, password) => mailboxes.get(user)?.password === password,
      take: (mail) => record(world, mail),
    },
  }
}

function controlRoutes(mailboxes: Mailboxes): ControlRoute[] {
  return [
    ...registryRoutes('mailboxes', mailboxes, mailboxRecord, {
      GET: 'The mailboxes.',
      PUT: 'Adds a mailbox { address, password, inbound_secret, … }, or changes the given fields of one.',
    }),
  ]
}

function record(world: World, { user, to, content }: SentMail): void {
  const head = content.slice(0, content.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
  for (const recipient of to) {
    world.ledger.record({
      id: header('message-id'),
      accepted_at: new Date(world.now()).toISOString(),
      channel: 'email',
      phone_number_id: user,
      recipient,
      type: 'mail',
      opaque_data: null,
      body: { subject: header('subject'), content },
    })
  }
}

/** Delivers a mail as `docs/channels/email.md` requires of a mail system, and returns the receiver's answer. */
async function injectInbound(world: World, mailboxes: Mailboxes, body: Json): Promise<Answer> {
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) throw new ControlRefusal(`inbound has no field "${key}"; it takes ${FIELDS.join(', ')}.`)
  const { from, message, name } = body
  if (typeof from !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(from))
    throw new ControlRefusal('from is missing: the address of the person who writes, e.g. "ana@example.com".')
  const content = typeof message === 'string' ? { text: message } : message
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new ControlRefusal('message must be a text or fields of a mail, such as {"subject":"Hi","text":"Hello"}.')
  const mailbox = mailboxes.choose(body.account_id)
  const message_id = typeof body.id === 'string' ? body.id : `<${randomUUID()}@${from.split('@')[1]}>`
  const quoted = (body.context as Json | undefined)?.message_id
  const mail = {
    message_id,
    ...(body.by_business === true
      ? { from: { address: mailbox.address }, to: from }
      : { from: { address: from, ...(typeof name === 'string' && { name }) }, to: mailbox.address }),
    subject: 'Simulated mail',
    ...content,
    ...(quoted !== undefined && { in_reply_to: quoted, references: [quoted] }),
    date: new Date(world.now()).toISOString(),
  }
  const attachments = await Promise.all(
    (((content as Json).attachments as Json[] | undefined) ?? []).map((one) => bringFile(world, mailbox, one)),
  )
  const whole = attachments.length > 0 ? { ...mail, attachments } : mail
  const webhook = await bring(world, mailbox, JSON.stringify(whole), `mail ${message_id}`)
  return ok({ provider_message_id: message_id, account_id: mailbox.address, message: mail, webhook })
}

/** Fields of an attachment whose bytes the caller has brought, or that has none. */
const KEPT = ['media_id', 'error', 'size']

/** Brings the bytes of an attachment (`data` in base64, else a sample of its type), and returns the attachment as the mail names it. */
async function bringFile(world: World, mailbox: Mailbox & { webhook_url: string }, attachment: Json): Promise<Json> {
  const { data, ...facts } = attachment
  if (typeof data !== 'string' && KEPT.some((name) => facts[name] !== undefined)) return attachment
  const bytes = Buffer.from(typeof data === 'string' ? data : sampleOf(String(facts.mime_type)), 'base64')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const response = await fetch(`${mailbox.webhook_url}/files`, {
    method: 'POST',
    headers: {
      'x-parley-signature': signatureOf(world, mailbox, sha256),
      'x-parley-sha256': sha256,
      'x-parley-filename': encodeURIComponent(String(facts.filename ?? '')),
      'content-type': String(facts.mime_type ?? 'application/octet-stream'),
    },
    body: bytes,
  })
  const answer = (await response.json()) as { media_id?: string; error?: { message: string } }
  return {
    ...facts,
    size: bytes.length,
    ...(answer.media_id ? { media_id: answer.media_id } : { error: answer.error?.message }),
  }
}

function signatureOf(world: World, { inbound_secret }: Mailbox, signed: string): string {
  const t = Math.floor(world.now() / 1000)
  return `t=${t},v1=${createHmac('sha256', inbound_secret).update(`${t}.${signed}`).digest('hex')}`
}

function bring(world: World, mailbox: Mailbox & { webhook_url: string }, body: string, label: string) {
  const headers = { 'content-type': 'application/json', 'x-parley-signature': signatureOf(world, mailbox, body) }
  const { webhook_url: url } = mailbox
  return new Promise<WebhookOutcome>((resolve) =>
    world.webhooks.send({ url, current_url: () => mailbox.webhook_url, headers, body, events: [label] }, resolve),
  )
}
