import type { Exchange } from '../../outbound/mod.ts'
import { withoutAnswer, withoutError } from '../graph/failure.ts'
import { isObject, objects, textOf } from '../json.ts'
import type { SendFailure } from '../provider.ts'

const MAX_MESSAGE_LENGTH = 500

/** The phone's connection broke before anything was written to it (texts of Baileys). */
const NO_CONNECTION = /connection (?:closed|was lost|terminated|failure)|precondition required|not connected/i
/** Thrown after WhatsApp has taken the message: only the gateway's own record of it failed. */
const AFTER_SENDING = /prisma|database/i
/** The gateway could not fetch the file of the message. */
const NO_FILE = /axioserror|request failed with status code|getaddrinfo|failed to fetch|invalid media/i

/**
 * Classifies an exchange without a 2xx. The gateway's status says little: nearly every failure is 400 `Bad Request`,
 * and the cause is in the text. `body` is its JSON, when it is JSON: `{ status, error, response: { message: [text or {
 * exists: false, jid, number }] } }`, in lists of lists at times.
 */
export function failureOf(answer: Exchange, body: unknown): SendFailure {
  const { status } = answer
  if (status === null) return withoutAnswer(answer)
  const response = isObject(body) && isObject(body.response) ? body.response : undefined
  if (!response) return withoutError(status)
  const said = [response.message].flat(3)
  const missing = objects(said).find(({ exists }) => exists === false)
  if (missing) {
    const message = `${textOf(missing.number) ?? 'The number'} is not on WhatsApp.`
    return { kind: 'refuse', code: 'not_on_whatsapp', message, maybe_accepted: false }
  }
  const words = said.filter((word) => typeof word === 'string').join('; ')
  const message = (words || 'The gateway refused the message.').slice(0, MAX_MESSAGE_LENGTH)
  const failure = { code: String(status), message, maybe_accepted: false }
  // 404: the gateway has no such instance.
  if (status === 401 || status === 403 || status === 404) return { kind: 'disconnect', ...failure }
  if (status === 429) return { kind: 'slow_down', scope: 'channel', ...failure }
  if (NO_CONNECTION.test(words)) return { kind: 'retry', ...failure }
  if (AFTER_SENDING.test(words)) return { kind: 'unknown', ...failure, maybe_accepted: true }
  if (status >= 500 && !NO_FILE.test(words)) return { kind: 'unknown', ...failure, maybe_accepted: true }
  return { kind: 'refuse', ...failure }
}
