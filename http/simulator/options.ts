import type { WebhookOptions } from './webhook_sender.ts'

/** One simulated WhatsApp business number and the app that owns it. */
export type WhatsAppNumber = {
  phone_number_id: string
  display_phone_number: string
  business_account_id: string
  access_token: string
  /** Key of the signature over the webhook calls of this number. */
  app_secret: string
  verify_token: string
  /** Where its callbacks go; without it they are dropped. */
  webhook_url?: string | undefined
  verified_name?: string | undefined
}

/** The channels whose accounts are not WhatsApp's numbers. */
export type AccountChannel = 'instagram' | 'messenger' | 'facebook' | 'tiktok'

/** One simulated account and the app that owns it. */
export type SimulatedAccount = {
  channel: AccountChannel
  /** Of the page, the professional account, the business. */
  account_id: string
  access_token: string
  /** Key of the signature over the webhook calls of this account. */
  app_secret: string
  /** Not on TikTok, which checks no address. */
  verify_token?: string | undefined
  /** Where its callbacks go; without it they are dropped. */
  webhook_url?: string | undefined
  name?: string | undefined
}

/** One simulated Telegram bot. */
export type TelegramBot = {
  /** Its id, a colon and its secret. */
  bot_token: string
  username?: string | undefined
  first_name?: string | undefined
  /** Where its updates go; without it nobody can write to it. */
  webhook_url?: string | undefined
  /** The `secret_token` that goes with each update. */
  webhook_secret?: string | undefined
  /** Kinds of updates it hears of; reactions too unless said otherwise. */
  allowed_updates?: string[] | undefined
}

/** One phone that was paired by QR code with the simulated gateway. */
export type EvolutionInstance = {
  instance: string
  api_key: string
  /** Digits of its phone number. */
  number: string
  state?: 'open' | 'connecting' | 'close'
  /** Where its events go; without it they are dropped. */
  webhook_url?: string | undefined
  /** Headers that go with each event. */
  webhook_headers?: Record<string, string> | undefined
}

/** One mailbox: mails go out by SMTP and come in by a signed hook. */
export type Mailbox = {
  /** Also the user of its SMTP server. */
  address: string
  password: string
  /** Key of the signature over the calls that bring its mails. */
  inbound_secret: string
  /** Where its mails go; without it nobody can write to it. */
  webhook_url?: string | undefined
}

export type StatusOptions = {
  /** False: no status callback at all (benchmarks). */
  enabled: boolean
  /** Milliseconds from the answer of the send to each callback. */
  sent_ms: number
  delivered_ms: number
  read_ms: number
  /** False: recipients do not open their messages. */
  read: boolean
}

export type WindowOptions = {
  /** False: free-form messages reach everybody. */
  enforced: boolean
  /** Seconds a window stays open after an inbound message; Meta's is 24 hours. */
  seconds: number
}

export type RateOptions = {
  /** Messages per second and number, in and out together (Meta: 80); 0 is no limit. */
  per_second: number
  /** Meta's limit per recipient: one message in six seconds, bursts to 45. */
  pair: boolean
}

export type LogOptions = {
  /** Accepted messages kept for GET /_control/sent. */
  sent: number
}

/** What `startSimulator` takes and what the process entry reads as JSON. */
export type SimulatorOptions = {
  host?: string
  /** 0 or none takes a free port. */
  port?: number
  numbers: WhatsAppNumber[]
  /** Of Instagram, Messenger and TikTok. */
  accounts?: SimulatedAccount[]
  telegram?: TelegramBot[]
  /** Phones paired by QR code. */
  evolution?: EvolutionInstance[]
  /** With one, there is an SMTP server on a free port. */
  mailboxes?: Mailbox[]
  /** Milliseconds every provider answer takes. */
  latency_ms?: number
  statuses?: Partial<StatusOptions>
  window?: Partial<WindowOptions>
  rate?: Partial<RateOptions>
  webhooks?: Partial<WebhookOptions>
  log?: Partial<LogOptions>
  /** File that gets a JSON line for every accepted message before it is acknowledged. */
  journal?: string
  /** Unix milliseconds; for tests that turn the clock. */
  now?: () => number
  /** Source of chance for fault rules with a rate, 0 to 1. */
  random?: () => number
}

export type Settings = {
  host: string
  port: number
  latency_ms: number
  statuses: StatusOptions
  window: WindowOptions
  rate: RateOptions
  webhooks: WebhookOptions
  log: LogOptions
}

/** Fills in the defaults. */
export function settingsFrom(options: SimulatorOptions): Settings {
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    latency_ms: options.latency_ms ?? 0,
    statuses: { enabled: true, sent_ms: 20, delivered_ms: 60, read_ms: 150, read: true, ...options.statuses },
    window: { enforced: true, seconds: 24 * 3600, ...options.window },
    rate: { per_second: 0, pair: false, ...options.rate },
    webhooks: {
      timeout_ms: 10_000,
      retry_base_ms: 500,
      retry_cap_ms: 30_000,
      attempts: 30,
      in_flight: 32,
      batch_size: 1,
      batch_wait_ms: 20,
      log_limit: 1000,
      ...options.webhooks,
    },
    log: { sent: 100_000, ...options.log },
  }
}
