import { ControlRefusal, ok } from './answer.ts'
import type { ControlRoute } from './control_route.ts'
import { CustomerWindows } from './customer_windows.ts'
import type { AccountChannel, SimulatedAccount, WindowOptions } from './options.ts'
import { registryRoutes } from './registry_routes.ts'

const SECRETS = ['access_token', 'app_secret', 'verify_token'] as const
const OPTIONAL = ['webhook_url', 'name']

/** Required fields of an account of each channel; the rest is optional. */
const REQUIRED: Record<AccountChannel, string[]> = {
  instagram: ['account_id', 'access_token', 'app_secret', 'verify_token'],
  messenger: ['account_id', 'access_token', 'app_secret', 'verify_token'],
  facebook: ['account_id', 'access_token', 'app_secret', 'verify_token'],
  tiktok: ['account_id', 'access_token', 'app_secret'],
}

/** Length of a window of each channel, as a multiple of WhatsApp's 24 hours. */
const WINDOW_FACTOR: Record<AccountChannel, number> = { instagram: 1, messenger: 1, facebook: 1, tiktok: 2 }

const CHANNELS = Object.keys(REQUIRED) as AccountChannel[]

/** The accounts of all channels but WhatsApp, and the people they may write to. */
export class Accounts {
  readonly #by_id = new Map<string, SimulatedAccount>()
  readonly #windows: Record<AccountChannel, CustomerWindows>

  constructor(window: WindowOptions, now: () => number) {
    const windowsOf = (channel: AccountChannel) =>
      new CustomerWindows({ ...window, seconds: window.seconds * WINDOW_FACTOR[channel] }, now)
    this.#windows = {
      instagram: windowsOf('instagram'),
      messenger: windowsOf('messenger'),
      facebook: windowsOf('facebook'),
      tiktok: windowsOf('tiktok'),
    }
  }

  /** Adds an account, or changes the given fields of an existing one. Throws ControlRefusal. */
  put(fields: Record<string, unknown>): { record: SimulatedAccount; added: boolean } {
    const channel = channelOf(fields.channel)
    const known_fields = ['channel', ...REQUIRED[channel], ...OPTIONAL]
    for (const [key, value] of Object.entries(fields)) {
      if (!known_fields.includes(key))
        throw new ControlRefusal(`An account of ${channel} has no field "${key}"; it takes ${known_fields.join(', ')}.`)
      if (typeof value !== 'string' && !(key === 'webhook_url' && value === null))
        throw new ControlRefusal(`${key} must be a string.`)
    }
    const known = this.get(channel, String(fields.account_id))
    const account = { ...known, ...fields } as SimulatedAccount
    for (const key of REQUIRED[channel])
      if (!account[key as keyof SimulatedAccount])
        throw new ControlRefusal(`${key} is missing: a new account needs ${REQUIRED[channel].join(', ')}.`)
    if (account.webhook_url && !/^https?:\/\//.test(account.webhook_url))
      throw new ControlRefusal('webhook_url must be an http or https URL.')
    // Changed in place: callbacks under way follow the account to its new webhook.
    const kept = known ? Object.assign(known, account) : account
    this.#by_id.set(`${channel} ${kept.account_id}`, kept)
    return { record: kept, added: !known }
  }

  get(channel: AccountChannel, account_id: string): SimulatedAccount | undefined {
    return this.#by_id.get(`${channel} ${account_id}`)
  }

  of(channel: AccountChannel): SimulatedAccount[] {
    return this.all().filter((account) => account.channel === channel)
  }

  all(): SimulatedAccount[] {
    return [...this.#by_id.values()]
  }

  windows(channel: AccountChannel): CustomerWindows {
    return this.#windows[channel]
  }

  /** The account of a control call: the named one, else the first with a webhook. Throws ControlRefusal. */
  choose(channel: AccountChannel, account_id: unknown): SimulatedAccount & { webhook_url: string } {
    const candidates = account_id === undefined ? this.of(channel) : [this.get(channel, String(account_id))]
    const [first] = candidates
    if (!first) {
      const which = account_id === undefined ? '' : ` with account_id "${account_id}"`
      const sentence = `There is no account of ${channel}${which}; add one with PUT /_control/accounts.`
      throw new ControlRefusal(sentence, 404, 'NOT_FOUND')
    }
    const account = candidates.find((candidate) => candidate?.webhook_url)
    if (account?.webhook_url) return account as SimulatedAccount & { webhook_url: string }
    const sentence = `Account ${first.account_id} has no webhook_url; set one with PUT /_control/accounts.`
    throw new ControlRefusal(sentence, 409, 'NO_WEBHOOK')
  }
}

function channelOf(value: unknown): AccountChannel {
  const channel = CHANNELS.find((known) => known === value)
  if (!channel) throw new ControlRefusal(`channel must be one of ${CHANNELS.join(', ')}.`)
  return channel
}

/** An account without its secrets. */
export function accountRecord(account: SimulatedAccount): Record<string, unknown> {
  return Object.fromEntries(Object.entries(account).filter(([key]) => !SECRETS.some((secret) => secret === key)))
}

export function accountRoutes(accounts: Accounts): ControlRoute[] {
  return [
    ...registryRoutes('accounts', accounts, accountRecord, {
      GET: 'The accounts of all channels but WhatsApp.',
      PUT: 'Adds an account { channel, account_id, … }, or changes the given fields of one (webhook_url…).',
    }),
    {
      method: 'PUT',
      path: 'accounts/windows',
      summary: 'Opens or closes the window of a person: { channel, recipient, open, account_id? }.',
      handle: (_request, body) => {
        const channel = channelOf(body.channel)
        const recipient = String(body.recipient ?? '')
        if (!recipient || typeof body.open !== 'boolean')
          throw new ControlRefusal('accounts/windows needs recipient and open (true or false).')
        for (const { account_id } of accounts.of(channel)) {
          if (body.account_id !== undefined && body.account_id !== account_id) continue
          if (body.open) accounts.windows(channel).open(account_id, recipient)
          else accounts.windows(channel).shut(account_id, recipient)
        }
        return ok({ channel, recipient, open: body.open })
      },
    },
  ]
}
