import { ok } from '../answer.ts'
import type { TelegramBot } from '../options.ts'
import type { ControlRoute, Provider, World } from '../provider.ts'
import { Telegram } from './account.ts'
import { serveBotApi } from './bot_api.ts'
import { idOf } from './bots.ts'
import { injectInbound } from './inbound.ts'
import { CHAT_MAGIC } from './magic.ts'

/** Telegram's Bot API. */
export function telegramProvider(world: World, bots: TelegramBot[]): Provider {
  const telegram = new Telegram(world, bots)
  return {
    channel: 'telegram',
    serve: (request) => serveBotApi(telegram, request),
    inbound: (body) => injectInbound(telegram, body),
    control: controlRoutes(telegram),
    describe: () => ({ bots: telegram.bots.all().map(shown) }),
  }
}

/** A bot without its secrets. */
function shown({ bot_token, webhook_secret: _, ...bot }: TelegramBot): Record<string, unknown> {
  return { bot_id: idOf(bot_token), ...bot }
}

function controlRoutes({ bots }: Telegram): ControlRoute[] {
  return [
    { method: 'GET', path: 'bots', summary: 'The Telegram bots.', handle: () => ok({ data: bots.all().map(shown) }) },
    {
      method: 'PUT',
      path: 'bots',
      summary: 'Adds a Telegram bot, or changes the given fields of one (webhook_url, webhook_secret…).',
      handle: (_request, body) => {
        const { bot, added } = bots.put(body)
        return ok(shown(bot), added ? 201 : 200)
      },
    },
    {
      method: 'GET',
      path: 'bots/magic',
      summary: 'The Telegram chats whose id decides the outcome.',
      handle: () => ok({ data: CHAT_MAGIC }),
    },
  ]
}
