import { MagicRecipients } from '../magic.ts'
import type { TelegramBot } from '../options.ts'
import type { World } from '../provider.ts'
import { Bots, idOf } from './bots.ts'
import { FileStore } from './files.ts'
import { CHAT_MAGIC } from './magic.ts'
import type { Json } from './parameters.ts'

/** Number of messages that can be quoted, edited and reacted to. */
const MESSAGES_KEPT = 20_000

/** The state of the simulated Telegram. */
export class Telegram {
  readonly world: World
  readonly bots = new Bots()
  readonly files = new FileStore()
  readonly magic = new MagicRecipients(CHAT_MAGIC)
  /** Ids of callback queries that wait for their answer. */
  readonly open_queries = new Set<string>()
  readonly #messages = new Map<string, Json>()
  readonly #message_ids = new Map<string, number>()
  #update_id = 870_000_000

  constructor(world: World, bots: TelegramBot[]) {
    this.world = world
    for (const bot of bots) this.bots.put(bot)
  }

  nextUpdateId(): number {
    return ++this.#update_id
  }

  /** Telegram counts the messages of all private chats of one account together. */
  nextMessageId(bot: TelegramBot): number {
    const id = (this.#message_ids.get(idOf(bot.bot_token)) ?? 0) + 1
    this.#message_ids.set(idOf(bot.bot_token), id)
    return id
  }

  keep(bot: TelegramBot, message: Json): void {
    const chat = message.chat as Json
    this.#messages.set(keyOf(bot, chat.id, message.message_id), message)
    if (this.#messages.size > MESSAGES_KEPT) this.#messages.delete(this.#messages.keys().next().value as string)
  }

  message(bot: TelegramBot, chat_id: unknown, message_id: unknown): Json | undefined {
    return this.#messages.get(keyOf(bot, chat_id, message_id))
  }
}

function keyOf(bot: TelegramBot, chat_id: unknown, message_id: unknown): string {
  return `${idOf(bot.bot_token)} ${chat_id} ${message_id}`
}
