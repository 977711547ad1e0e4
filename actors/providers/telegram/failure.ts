import { type Exchange, retryAfter } from '../../outbound/mod.ts'
import { withoutAnswer, withoutError } from '../graph/failure.ts'
import { isObject, textOf } from '../json.ts'
import type { SendFailure } from '../provider.ts'

const MAX_MESSAGE_LENGTH = 500

/**
 * Classifies an exchange without `ok: true`, by the Bot API's `error_code`. `body` is its JSON, when it is JSON.
 *
 * - 401, and 404 for a malformed token: no message can be sent until the token is repaired
 * - 429: the text does not say whether one chat or the whole bot was too fast. Continuing with other chats would
 *   lengthen the wait if it was the bot, so all wait
 * - 5xx: Telegram failed while it worked; it may have sent the message
 * - others (400 no such chat, 403 blocked by the person): never
 */
export function failureOf(answer: Exchange, body: unknown, now: number): SendFailure {
  const { status, headers } = answer
  if (status === null) return withoutAnswer(answer)
  if (!isObject(body) || body.ok !== false) return withoutError(status)
  const code = Number(textOf(body.error_code) ?? status)
  const message = (textOf(body.description) ?? 'Telegram refused the message.').slice(0, MAX_MESSAGE_LENGTH)
  const said = { code: String(code), message, maybe_accepted: false }
  if (code === 401 || code === 404) return { kind: 'disconnect', ...said }
  if (code === 429) {
    const { retry_after } = isObject(body.parameters) ? body.parameters : {}
    const seconds = typeof retry_after === 'number' ? retry_after : retryAfter(headers['retry-after'], now)
    return {
      kind: 'slow_down',
      scope: 'channel',
      ...said,
      ...(seconds !== undefined && { retry_after_s: seconds }),
    }
  }
  if (code >= 500) return { kind: 'unknown', ...said, maybe_accepted: true }
  return { kind: 'refuse', ...said }
}
