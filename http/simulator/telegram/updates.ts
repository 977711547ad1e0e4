import type { TelegramBot } from '../options.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import type { Telegram } from './account.ts'
import { call } from './bot_api.ts'
import { BotApiError } from './errors.ts'
import type { Json } from './parameters.ts'

/**
 * Calls a bot's webhook with an update and returns the outcome of the first attempt. A receiver may put a call of the
 * Bot API into its answer: it is executed, and its result is dropped.
 */
export function deliver(telegram: Telegram, bot: TelegramBot, update: Json): Promise<WebhookOutcome> {
  const { webhook_url: url, webhook_secret } = bot
  const [kind] = Object.keys(update).filter((key) => key !== 'update_id')
  return new Promise((resolve) =>
    telegram.world.webhooks.send(
      {
        url: url!,
        current_url: () => bot.webhook_url ?? undefined,
        headers: {
          'content-type': 'application/json',
          ...(webhook_secret !== undefined && { 'x-telegram-bot-api-secret-token': webhook_secret }),
        },
        body: JSON.stringify(update),
        events: [`${kind} ${update.update_id}`],
      },
      (outcome) => {
        if (outcome.status === 200) obey(telegram, bot, outcome.body)
        resolve(outcome)
      },
    ),
  )
}

function obey(telegram: Telegram, bot: TelegramBot, answer: string): void {
  try {
    const { method, ...values } = JSON.parse(answer) as Json
    if (typeof method === 'string') call(telegram, bot, method, { values, uploads: new Map() })
  } catch (error) {
    // Most answers are plain text.
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof BotApiError)) throw error
  }
}
