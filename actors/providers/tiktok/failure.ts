import type { Exchange } from '../../outbound/mod.ts'
import { retryAfter } from '../../outbound/mod.ts'
import {
  DISCONNECT,
  REFUSE,
  RETRY,
  SLOW_CHANNEL,
  type Verdict,
  verdicts,
  withoutAnswer,
  withoutError,
} from '../graph/failure.ts'
import { isObject, textOf } from '../json.ts'
import type { SendFailure } from '../provider.ts'

/** Codes of TikTok's API for Business, which come with status 200. 40064 restricts the people who may be written to. */
const VERDICTS = verdicts([
  [DISCONNECT, [40102, 40103, 40104, 40105]],
  [SLOW_CHANNEL, [40016, 40100, 40133]],
  [REFUSE, [40000, 40001, 40002, 40006, 40007, 40064, 40908]],
])

const MAX_MESSAGE_LENGTH = 500

/** Classifies an unsuccessful exchange. `body` is its JSON, when it is JSON. `now` in milliseconds. */
export function tiktokFailure(answer: Exchange, body: unknown, now: number): SendFailure {
  const { status, headers } = answer
  if (status === null) return withoutAnswer(answer)
  const after = retryAfter(headers['retry-after'], now)
  const patience = after === undefined ? {} : { retry_after_s: after }
  const code = isObject(body) ? Number(textOf(body.code) ?? Number.NaN) : Number.NaN
  if (isObject(body) && Number.isInteger(code) && code !== 0) {
    const message = (textOf(body.message) ?? 'The provider refused the message.').slice(0, MAX_MESSAGE_LENGTH)
    return { ...verdictOf(code), code: String(code), message, ...patience, maybe_accepted: false }
  }
  return { ...withoutError(status), ...patience }
}

/** 5xxxx and 6xxxx are TikTok's own faults. */
function verdictOf(code: number): Verdict {
  return VERDICTS.get(code) ?? (code >= 50_000 ? RETRY : REFUSE)
}
