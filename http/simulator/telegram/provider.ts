import { ok } from '../answer.ts'
import type { ControlRoute } from '../control_route.ts'
import type { TelegramBot } from '../options.ts'
import type { Provider, World } from '../provider.ts'
import { registryRoutes } from '../registry_routes.ts'
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
    describe: () => ({ bots: telegram.bots.all().map(botRecord) }),
  }
}

/** A bot without its secrets. */
function botRecord({ bot_token, webhook_secret: _, ...bot }: TelegramBot): Record<string, unknown> {
  return { bot_id: idOf(bot_token), ...bot }
}

function controlRoutes({ bots }: Telegram): ControlRoute[] {
  return [
    ...registryRoutes('bots', bots, botRecord, {
      GET: 'The Telegram bots.',
      PUT: 'Adds a Telegram bot, or changes the given fields of one (webhook_url, webhook_secret…).',
    }),
    {
      method: 'GET',
      path: 'bots/magic',
      summary: 'The Telegram chats whose id decides the outcome.',
      handle: () => ok({ data: CHAT_MAGIC }),
    },
  ]
}
