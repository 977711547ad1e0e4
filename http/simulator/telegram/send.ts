import { type Answer, ok } from '../answer.ts'
import { isObject } from '../is_object.ts'
import type { TelegramBot } from '../options.ts'
import type { Telegram } from './account.ts'
import { idOf } from './bots.ts'
import { chatOf } from './check.ts'
import { badRequest } from './errors.ts'
import { album, CONTENT, envelope, markup } from './message.ts'
import type { Json, Parameters } from './parameters.ts'
import { REACTIONS } from './reactions.ts'

/** The recipient and the type of a send method's call, for rules and the ledger. Undefined: it sends nothing. */
export function subjectOf(method: string, { chat_id }: Json): { recipient: string; type: string } | undefined {
  const type =
    method === 'sendMediaGroup' ? 'media_group' : method === 'setMessageReaction' ? 'reaction' : CONTENT[method]?.type
  return type === undefined ? undefined : { recipient: String(chat_id ?? ''), type }
}

/** Creates the messages, records them and answers with them. Throws BotApiError. */
export function send(telegram: Telegram, bot: TelegramBot, method: string, parameters: Parameters): Answer {
  const { values } = parameters
  if (method === 'setMessageReaction') return react(telegram, bot, values)
  const common = envelope(telegram, bot, values)
  if (method === 'sendMediaGroup') {
    const items = album(telegram, parameters)
    const media_group_id = String(1_300_000_000_000 + telegram.nextUpdateId())
    const messages = items.map((item) => accepted(telegram, bot, { ...common, ...item, media_group_id }))
    record(telegram, bot, method, messages[0]!, values)
    return ok({ ok: true, result: messages })
  }
  const content = CONTENT[method]!.make(telegram, parameters)
  const message = accepted(telegram, bot, { ...common, ...content, ...markup(values) })
  record(telegram, bot, method, message, values)
  return ok({ ok: true, result: message })
}

function accepted(telegram: Telegram, bot: TelegramBot, content: Json): Json {
  const message = { message_id: telegram.nextMessageId(bot), ...content }
  telegram.keep(bot, message)
  return message
}

function record(telegram: Telegram, bot: TelegramBot, method: string, { chat, message_id }: Json, body: Json): void {
  const { world } = telegram
  const recipient = String((chat as Json).id)
  world.ledger.record({
    id: `${recipient}:${message_id}`,
    accepted_at: new Date(world.now()).toISOString(),
    channel: 'telegram',
    phone_number_id: idOf(bot.bot_token),
    recipient,
    type: subjectOf(method, body)?.type ?? method,
    opaque_data: null,
    body: { method, ...body },
  })
}

function react(telegram: Telegram, bot: TelegramBot, values: Json): Answer {
  const chat = chatOf(values.chat_id)
  const message = telegram.message(bot, chat.id, values.message_id)
  if (!message) throw badRequest('message to react not found')
  const reactions = values.reaction ?? []
  if (!Array.isArray(reactions)) throw badRequest('expected an Array of ReactionType')
  if (reactions.length > 1) throw badRequest('too many reactions')
  for (const reaction of reactions)
    if (!isObject(reaction) || reaction.type !== 'emoji' || !REACTIONS.has(String(reaction.emoji)))
      throw badRequest('REACTION_INVALID')
  record(telegram, bot, 'setMessageReaction', message, values)
  return ok({ ok: true, result: true })
}
