import { ControlRefusal } from '../answer.ts'
import type { TelegramBot } from '../options.ts'

const KNOWN = ['bot_token', 'username', 'first_name', 'webhook_url', 'webhook_secret', 'allowed_updates']

/** Default updates of a webhook; Telegram's own default excludes reactions. */
export const USUAL_UPDATES = ['message', 'edited_message', 'callback_query']

/** Updates that the webhook of a new bot lists beside them. */
const MORE_UPDATES = ['message_reaction', 'business_message', 'edited_business_message', 'deleted_business_messages']

/** The bots of the simulator, by their tokens. */
export class Bots {
  readonly #by_id = new Map<string, TelegramBot>()

  /** Adds a bot, or changes the given fields of an existing one. Throws ControlRefusal. */
  put(fields: Record<string, unknown>): { record: TelegramBot; added: boolean } {
    for (const [key, value] of Object.entries(fields)) {
      if (!KNOWN.includes(key)) throw new ControlRefusal(`A bot has no field "${key}"; it takes ${KNOWN.join(', ')}.`)
      if (key === 'allowed_updates' ? Array.isArray(value) : typeof value === 'string') continue
      if (key === 'webhook_url' && value === null) continue
      throw new ControlRefusal(`${key} must be ${key === 'allowed_updates' ? 'a list' : 'a string'}.`)
    }
    const token = String(fields.bot_token ?? '')
    if (!/^\d+:[\w-]+$/.test(token))
      throw new ControlRefusal('bot_token must be a number, a colon and a secret, such as 110201543:AAHdqTcvCH1vGWJ.')
    if (typeof fields.webhook_url === 'string' && !/^https?:\/\//.test(fields.webhook_url))
      throw new ControlRefusal('webhook_url must be an http or https URL.')
    const known = this.#by_id.get(idOf(token))
    // Changed in place: updates under way follow the bot to its new webhook.
    const bot = Object.assign(known ?? { allowed_updates: [...USUAL_UPDATES, ...MORE_UPDATES] }, fields)
    this.#by_id.set(idOf(token), bot as TelegramBot)
    return { record: bot as TelegramBot, added: !known }
  }

  get(id: string): TelegramBot | undefined {
    return this.#by_id.get(id)
  }

  all(): TelegramBot[] {
    return [...this.#by_id.values()]
  }

  /** The bot with this complete token. */
  authenticate(token: string): TelegramBot | undefined {
    const bot = this.#by_id.get(idOf(token))
    return bot?.bot_token === token ? bot : undefined
  }
}

/** A bot's id is the public part of its token. */
export function idOf(token: string): string {
  return token.split(':')[0] ?? ''
}

/** The bot as a user of Telegram. */
export function userOf({ bot_token, username, first_name }: TelegramBot): Record<string, unknown> {
  const id = Number(idOf(bot_token))
  return { id, is_bot: true, first_name: first_name ?? 'Simulated Bot', username: username ?? `simulated_${id}_bot` }
}
