/** An e-mail channel as the domain passes it to the adapter, and an adapter that ends with its test. */
import { Readable } from 'node:stream'
import { OutboundGuard } from '../../../../actors/outbound/mod.ts'
import { Email, type EmailOptions } from '../../../../actors/providers/email/mod.ts'
import type { BuildOptions } from '../../../../actors/providers/provider.ts'
import type { Owner } from '../../../support/mod.ts'

const FROM = 'Parley Support <support@parley.test>'
export const SECRET = 'the secret of the inbound hook'

export const credentialsOf = (smtp_url: string) => ({ smtp_url, from: FROM, inbound_secret: SECRET })

export function accountOf(smtp_url = 'smtp://user:password@127.0.0.1:2525') {
  const channel = { channel_id: '66f000000000000000000001', name: 'Acme Support' }
  return { ...channel, provider_account_id: 'support@parley.test', credentials: credentialsOf(smtp_url) }
}

export function options(changes: Partial<BuildOptions> = {}): BuildOptions {
  return {
    account: accountOf(),
    to: 'ana@example.com',
    opaque: 'msg_6b01199073cb499e66000000',
    fileOf: (media_id) => ({
      media_id,
      provider_media_id: null,
      link: `https://files.parley.test/${media_id}`,
      mime_type: 'application/pdf',
      filename: 'upload.pdf',
    }),
    ...changes,
  }
}

export function startEmail(t: Owner, changes: Partial<EmailOptions> = {}): Email {
  const email = new Email({
    answer_ms: changes.deadline_ms,
    open: async () => ({
      stream: Readable.from([Buffer.from('%PDF-1.7')]),
      filename: 'a.pdf',
      mime_type: 'application/pdf',
    }),
    guard: new OutboundGuard({ allow_networks: ['127.0.0.0/8'] }),
    ...changes,
  })
  t.teardown(() => email.close())
  return email
}
