import * as v from 'valibot'
import { type ChannelType, maxCharacters, minCharacters, parseMailbox, parseSmtpUrl } from '../../../actors/mod.ts'
import type { Violation } from '../../server/errors/api_error.ts'
import { check } from '../../server/parse/validation.ts'

/** Ways of connecting each channel type, with the credentials that each way needs. */

const secret = v.pipe(v.string('must be a string'), minCharacters(1), maxCharacters(4096))
const accountId = v.pipe(
  v.string('must be a string'),
  v.regex(/^[\w.-]{1,100}$/, "must be the provider's id: letters, digits, dots, dashes"),
)
const baseUrl = v.pipe(
  v.string('must be a string'),
  v.url('must be a URL such as https://graph.facebook.com'),
  v.regex(/^https?:\/\/[^?#]+$/i, 'must be an http or https URL without query and fragment'),
)

/** Numbers of the Cloud API. `api_base_url` replaces Meta's address, for a simulator or a proxy. */
const whatsappCloud = v.strictObject({
  phone_number_id: accountId,
  business_account_id: accountId,
  access_token: secret,
  app_secret: secret,
  verify_token: secret,
  api_base_url: v.optional(baseUrl),
})

/** A page of Facebook or a professional account on Instagram. `api_base_url` as with WhatsApp. */
const pageCloud = v.strictObject({
  account_id: accountId,
  access_token: secret,
  app_secret: secret,
  verify_token: secret,
  api_base_url: v.optional(baseUrl),
})

/** A TikTok business account, by its business id. */
const tiktokCloud = v.strictObject({
  account_id: accountId,
  access_token: secret,
  app_secret: secret,
  api_base_url: v.optional(baseUrl),
})

/**
 * A phone paired by QR code in a gateway that speaks Evolution API. The gateway's webhook sends the secret as a header.
 */
const whatsappQr = v.strictObject({
  api_base_url: baseUrl,
  instance: v.pipe(
    v.string('must be a string'),
    v.regex(/^[\w .-]{1,100}$/, "must be the instance's name in the gateway"),
  ),
  api_key: secret,
  webhook_secret: secret,
})

/** A bot. `webhook_secret` is the `secret_token` of the bot's webhook, within Telegram's bounds. */
const telegramBot = v.strictObject({
  bot_token: v.pipe(
    v.string('must be a string'),
    v.regex(/^\d{1,20}:[\w-]{1,100}$/, 'must be the token as @BotFather gave it, such as 110201543:AAHdqTcvCH1vGWJ'),
  ),
  webhook_secret: v.pipe(
    v.string('must be a string'),
    v.regex(/^[\w-]{1,256}$/, 'must have 1 to 256 letters, digits, underscores and dashes'),
  ),
  api_base_url: v.optional(baseUrl),
})

/** Key for the signature of calls to our own hooks. A guessed key would allow calls in the name of anyone. */
const hookSecret = v.pipe(secret, minCharacters(16))

const emailAccount = v.strictObject({
  smtp_url: v.pipe(
    v.string('must be a string'),
    v.check(
      (url) => parseSmtpUrl(url) !== undefined,
      'must be smtp://user:password@host:port or smtps://…, with special characters percent-encoded',
    ),
  ),
  from: v.pipe(
    v.string('must be a string'),
    v.check(
      (from) => parseMailbox(from) !== undefined,
      'must be an address such as support@example.com or Support <support@example.com>',
    ),
  ),
  inbound_secret: hookSecret,
  own_mail: v.optional(
    v.pipe(
      v.picklist(['trusted', 'proven'], 'must be trusted or proven'),
      v.description(
        'E-mails in the name of the channel of whose sender the mail system says nothing: `trusted` (default) counts them as those of an agent, `proven` as those of strangers',
      ),
    ),
  ),
})

const ORIGIN = /^https?:\/\/(?:\*\.)?[a-z0-9.-]+(?::\d{1,5})?$/i

/** Signs who a visitor is, so a guessed one would open the conversation of anyone. */
const identitySecret = v.pipe(secret, minCharacters(32))

/** The chat for visitors of web pages. Without `allowed_origins` any page may embed it. */
const webChat = v.strictObject({
  visitor_secret: hookSecret,
  identity_secret: v.optional(identitySecret),
  previous_identity_secret: v.optional(identitySecret),
  allowed_origins: v.optional(
    v.pipe(
      v.string('must be a string'),
      v.check(
        (list) => list.split(',').every((origin) => ORIGIN.test(origin.trim())),
        'must be origins such as https://www.example.com, https://*.example.com, separated by commas',
      ),
    ),
  ),
})

/** Providers without an adapter here: any credentials are accepted. */
const free = v.record(v.pipe(v.string(), maxCharacters(100)), secret, 'must be an object of strings')

type Way = v.GenericSchema<unknown, Record<string, string | undefined>>

const connections: Record<ChannelType, Record<string, Way>> = {
  whatsapp: { cloud: whatsappCloud, simulator: whatsappCloud, qr: whatsappQr },
  instagram: { cloud: pageCloud, simulator: pageCloud },
  messenger: { cloud: pageCloud, simulator: pageCloud },
  facebook: { cloud: pageCloud, simulator: pageCloud },
  telegram: { cloud: telegramBot, simulator: telegramBot },
  tiktok: { cloud: tiktokCloud, simulator: tiktokCloud },
  web: { cloud: webChat, simulator: webChat },
  email: { cloud: emailAccount, simulator: emailAccount },
  phone: { cloud: free, simulator: free },
}

/** All values of `provider`, of all channel types. */
export const waysToConnect = [...new Set(Object.values(connections).flatMap((ways) => Object.keys(ways)))]

/** The errors in these credentials for this way of connecting; empty when they are valid. */
export function credentialViolations(channel_type: string, provider: string, credentials: unknown): Violation[] {
  const ways = connections[channel_type as ChannelType] as Record<string, Way> | undefined
  const schema = ways?.[provider]
  if (!ways) return []
  if (!schema) {
    const message = `must be one of ${Object.keys(ways).join(', ')} for ${channel_type}`
    return [{ path: 'provider', message, code: 'invalid_value' }]
  }
  const checked = check(schema, credentials)
  if (!('violations' in checked)) return []
  return checked.violations.map((violation) => ({
    ...violation,
    path: ['credentials', violation.path].filter(Boolean).join('.'),
  }))
}

/** The provider's own id of the account, which bulk sends and webhooks use to name the channel. */
export function accountOf(channel_type: string, credentials: Record<string, string | undefined>): string | null {
  const { phone_number_id, instance, bot_token, account_id, from } = credentials
  if (channel_type === 'whatsapp') return phone_number_id ?? instance ?? null
  if (channel_type === 'telegram') return bot_token?.split(':')[0] ?? null
  if (channel_type === 'email') return parseMailbox(from ?? '')?.address.toLowerCase() ?? null
  return account_id ?? null
}
