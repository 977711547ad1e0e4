import type { Exchange } from '../../outbound/mod.ts'
import { retryAfter } from '../../outbound/mod.ts'
import { isObject, type Json, textOf } from '../json.ts'
import type { Failure } from '../provider.ts'

type Verdict = Pick<Failure, 'kind' | 'scope'>

const RETRY: Verdict = { kind: 'retry' }
const REFUSE: Verdict = { kind: 'refuse' }
const DISCONNECT: Verdict = { kind: 'disconnect' }
const SLOW_CHANNEL: Verdict = { kind: 'slow_down', scope: 'channel' }
const SLOW_RECIPIENT: Verdict = { kind: 'slow_down', scope: 'recipient' }

/** Meta's documentation of the Cloud API's error codes; the HTTP status that goes with a code is not reliable. */
const VERDICTS: readonly [Verdict, readonly number[]][] = [
  [DISCONNECT, [0, 190, 368, 131031, 133010]],
  [RETRY, [1, 2, 131000, 131016, 131057]],
  [SLOW_CHANNEL, [4, 80007, 130429, 131048]],
  [SLOW_RECIPIENT, [131056, 132069]],
  [REFUSE, [3, 10, 100, 130472, 131005, 131008, 131009, 131021, 131026, 131047, 131049, 131051, 131052, 131053]],
  [REFUSE, [132000, 132001, 132005, 132007, 132012, 132015, 132016, 132068]],
]

const BY_CODE = new Map(VERDICTS.flatMap(([verdict, codes]) => codes.map((code) => [code, verdict] as const)))

const LONGEST_MESSAGE = 500

/** What an exchange that brought no usable 2xx means. `body` is its JSON, when it is JSON. `now` in milliseconds. */
export function failureOf(answer: Exchange, body: unknown, now: number): Failure {
  const { status, headers } = answer
  if (status === null) return withoutAnswer(answer)
  const after = retryAfter(headers['retry-after'], now)
  const patience = after === undefined ? {} : { retry_after_s: after }
  const error = isObject(body) && isObject(body.error) ? body.error : undefined
  const code = Number(textOf(error?.code) ?? Number.NaN)
  if (error && Number.isInteger(code)) {
    const verdict = BY_CODE.get(code) ?? ofUnlistedCode(code, status, error)
    return { ...verdict, code: String(code), message: messageOf(error), ...patience, maybe_accepted: false }
  }
  return { ...withoutError(status), ...patience }
}

function withoutAnswer({ error, was_sent }: Exchange): Failure {
  const code = error ?? 'unknown'
  const message = was_sent
    ? `The provider was asked and did not answer: ${code}.`
    : `The provider could not be reached: ${code}.`
  if (was_sent) return { kind: 'unknown', code, message, maybe_accepted: true }
  return { kind: code === 'invalid_request' ? 'refuse' : 'retry', code, message, maybe_accepted: false }
}

/** A status without Meta's words comes from something in between: what stands behind it may have taken the message. */
function withoutError(status: number): Failure {
  const code = `http_${status}`
  const message = `The provider answered ${status} without saying why.`
  if (status === 429) return { ...SLOW_CHANNEL, code, message, maybe_accepted: false }
  if (status >= 300 && status < 500 && status !== 408) return { ...REFUSE, code, message, maybe_accepted: false }
  return { kind: 'unknown', code, message, maybe_accepted: true }
}

function ofUnlistedCode(code: number, status: number, error: Json): Verdict {
  if (code >= 200 && code <= 299) return REFUSE
  if (status === 429) return SLOW_CHANNEL
  return error.is_transient === true || status >= 500 ? RETRY : REFUSE
}

/** Meta's message without its `(#131009)`, and with the details, which say what is wrong. */
export function messageOf(error: Json): string {
  const details = isObject(error.error_data) ? textOf(error.error_data.details) : null
  const said = textOf(error.message) ?? textOf(error.title) ?? 'The provider refused the message.'
  const message = said.replace(/^\(#\d+\)\s*/, '')
  return (details && details !== message ? `${message}: ${details}` : message).slice(0, LONGEST_MESSAGE)
}
