import type { WebhookOptions } from './webhook_sender.ts'

/** One simulated WhatsApp business number and the app that owns it. */
export type WhatsAppNumber = {
  phone_number_id: string
  display_phone_number: string
  business_account_id: string
  access_token: string
  /** Key for the signature of this number's webhook calls. */
  app_secret: string
  verify_token: string
  /** Target of its callbacks; without it they are dropped. */
  webhook_url?: string | undefined
  verified_name?: string | undefined
}

/** The channels whose accounts are not WhatsApp's numbers. */
export type AccountChannel = 'instagram' | 'messenger' | 'facebook' | 'tiktok'

/** One simulated account and the app that owns it. */
export type SimulatedAccount = {
  channel: AccountChannel
  /** Id of the page, the professional account or the business. */
  account_id: string
  access_token: string
  /** Key for the signature of this account's webhook calls. */
  app_secret: string
  /** Unused on TikTok, which does not verify addresses. */
  verify_token?: string | undefined
  /** Target of its callbacks; without it they are dropped. */
  webhook_url?: string | undefined
  name?: string | undefined
}

/** One simulated Telegram bot. */
export type TelegramBot = {
  /** Its id, a colon and its secret. */
  bot_token: string
  username?: string | undefined
  first_name?: string | undefined
  /** Target of its updates; without it people cannot write to it. */
  webhook_url?: string | undefined
  /** The `secret_token` sent with each update. */
  webhook_secret?: string | undefined
  /** Kinds of updates it receives; by default reactions, too. */
  allowed_updates?: string[] | undefined
}

/** One phone that was paired by QR code with the simulated gateway. */
export type EvolutionInstance = {
  instance: string
  api_key: string
  /** Digits of its phone number. */
  number: string
  state?: 'open' | 'connecting' | 'close'
  /** Target of its events; without it they are dropped. */
  webhook_url?: string | undefined
  /** Headers sent with each event. */
  webhook_headers?: Record<string, string> | undefined
}

/** One mailbox: mails go out by SMTP and come in by a signed hook. */
export type Mailbox = {
  /** Also the user of its SMTP server. */
  address: string
  password: string
  /** Key for the signature of the calls that deliver its mails. */
  inbound_secret: string
  /** Target of its mails; without it people cannot write to it. */
  webhook_url?: string | undefined
}

export type StatusOptions = {
  /** False: no status callbacks (benchmarks). */
  enabled: boolean
  /** Milliseconds from the answer of the send to each callback. */
  sent_ms: number
  delivered_ms: number
  read_ms: number
  /** False: recipients do not open their messages. */
  read: boolean
}

export type WindowOptions = {
  /** False: free-form messages reach everyone. */
  enforced: boolean
  /** Seconds a window stays open after an inbound message; Meta's is 24 hours. */
  seconds: number
}

export type RateOptions = {
  /** Messages per second and number, in and out together (Meta: 80); 0 means no limit. */
  per_second: number
  /** Meta's limit per recipient: one message in six seconds, bursts to 45. */
  pair: boolean
}

export type LogOptions = {
  /** Accepted messages kept for GET /_control/sent. */
  sent: number
}

/** Options of `startSimulator`, and the JSON of the process entry. */
export type SimulatorOptions = {
  host?: string
  /** 0 or undefined chooses a free one. */
  port?: number
  numbers: WhatsAppNumber[]
  /** Accounts of Instagram, Messenger and TikTok. */
  accounts?: SimulatedAccount[]
  telegram?: TelegramBot[]
  /** Phones paired by QR code. */
  evolution?: EvolutionInstance[]
  /** With a mailbox, there is an SMTP server on a free port. */
  mailboxes?: Mailbox[]
  /** Milliseconds added to every provider answer. */
  latency_ms?: number
  statuses?: Partial<StatusOptions>
  window?: Partial<WindowOptions>
  rate?: Partial<RateOptions>
  webhooks?: Partial<WebhookOptions>
  log?: Partial<LogOptions>
  /** File to which a JSON line is appended for every accepted message before it is acknowledged. */
  journal?: string
  /** Unix milliseconds; for tests that turn the clock. */
  now?: () => number
  /** Source of randomness for fault rules with a rate, 0 to 1. */
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
