import { type Answer, ok, type SimulatorRequest } from '../answer.ts'
import { answerAs, behaveAs } from '../behave.ts'
import type { TelegramBot } from '../options.ts'
import type { Telegram } from './account.ts'
import { idOf } from './bots.ts'
import { BotApiError, DIALECT } from './errors.ts'
import { CONTENT } from './message.ts'
import { METHODS, methodNamed } from './methods.ts'
import { type Parameters, parametersOf } from './parameters.ts'
import { send, subjectOf } from './send.ts'

const NAMES = [...Object.keys(CONTENT), ...Object.keys(METHODS), 'sendMediaGroup', 'setMessageReaction']

/** `/bot<token>/<method>` and `/file/bot<token>/<path>`. Undefined for any other path. */
export function serveBotApi(telegram: Telegram, request: SimulatorRequest): Answer | undefined {
  const [first = '', ...rest] = request.segments
  if (first === 'file' && rest[0]?.startsWith('bot')) {
    const [bot = '', ...path] = rest
    return answerAs(DIALECT, () => download(telegram, bot.slice(3), path.join('/')))
  }
  if (!first.startsWith('bot')) return undefined
  return answerAs(DIALECT, () => {
    const bot = authenticated(telegram, first.slice(3))
    const method = methodNamed(rest[0] ?? '', NAMES)
    return call(telegram, bot, method, parametersOf(request))
  })
}

/** One call of a method under its fault rules and magic recipients. Throws BotApiError. */
export function call(telegram: Telegram, bot: TelegramBot, method: string, parameters: Parameters): Answer {
  const { world, magic } = telegram
  const phone_number_id = idOf(bot.bot_token)
  const sends = subjectOf(method, parameters.values)
  const about = { channel: 'telegram', phone_number_id }
  const behaviour = sends
    ? world.faults.apply(
        { ...about, operation: 'messages', ...sends },
        magic.behaviourOf(phone_number_id, sends.recipient),
      )
    : world.faults.apply({ ...about, operation: method })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () =>
    sends
      ? send(telegram, bot, method, parameters)
      : ok({ ok: true, result: METHODS[method]!(telegram, bot, parameters.values) }),
  )
}

/** Telegram answers 404 when the token is malformed, and refuses a token whose secret is wrong. */
function authenticated({ bots }: Telegram, token: string): TelegramBot {
  if (!/^\d+:[\w-]+$/.test(token)) throw new BotApiError(404, 'Not Found')
  const bot = bots.authenticate(token)
  if (!bot) throw new BotApiError(401, 'Unauthorized')
  return bot
}

function download(telegram: Telegram, token: string, path: string): Answer {
  const { world, files } = telegram
  const phone_number_id = idOf(authenticated(telegram, token).bot_token)
  const behaviour = world.faults.apply({ channel: 'telegram', operation: 'download', phone_number_id })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    const file = files.atPath(path)
    if (!file) throw new BotApiError(404, 'Not Found')
    return { status: 200, content_type: file.mime_type, body: file.bytes }
  })
}
