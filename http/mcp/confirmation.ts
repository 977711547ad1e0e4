/**
 * The signed state of a confirmation. The server keeps nothing between the question and the answer, so the state proves
 * that this token asked for this operation with these arguments, and when.
 *
 *  C1 A state is valid for one token, one operation, one set of arguments and ten minutes.
 *  C2 A state that went to a person's client is not valid as an argument, so a model cannot agree for the person.
 *  C3 Each state has a number of its own. It becomes the idempotency key of the operation, so a state that is sent twice
 *     takes effect once.
 *  C4 Every node accepts it: the keys come from `PARLEY_SECRET`.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const LIFETIME_S = 600
const STATE = /^c1\.(\d{10})\.([\w-]{22})\.([\w-]{43})$/

/** `person`: asked by the client. `argument`: the state comes back as an argument of the call. */
export type Channel = 'person' | 'argument'

/** The call that is confirmed. `text`: its arguments, by `canonical`. */
export type Subject = { token_id: string; operation: string; text: string }

/** The state to return with the question. `now` in milliseconds. The first key signs. */
export function confirmationState(keys: readonly Buffer[], channel: Channel, subject: Subject, now: number): string {
  const expires = String(Math.floor(now / 1000) + LIFETIME_S)
  const nonce = randomBytes(16).toString('base64url')
  return `c1.${expires}.${nonce}.${sign(keys[0]!, channel, subject, expires, nonce).toString('base64url')}`
}

/** The number of a valid state; undefined when it was altered, is for another call or is too old. */
export function confirmed(
  keys: readonly Buffer[],
  channel: Channel,
  subject: Subject,
  state: string,
  now: number,
): string | undefined {
  const [, expires, nonce, mac] = STATE.exec(state) ?? []
  if (expires === undefined || nonce === undefined || mac === undefined) return undefined
  const bytes = Buffer.from(mac, 'base64url')
  const is_ours = keys.some((key) => {
    const right = sign(key, channel, subject, expires, nonce)
    return bytes.length === right.length && timingSafeEqual(bytes, right)
  })
  return is_ours && Number(expires) * 1000 > now ? nonce : undefined
}

function sign(key: Buffer, channel: Channel, { token_id, operation, text }: Subject, ...rest: string[]) {
  const head = [channel, token_id, operation, ...rest].join('\n')
  return createHmac('sha256', key).update(`${head}\n`).update(text).digest()
}

/** JSON in which the order of properties means nothing: a model may write the same arguments in another order. */
export function canonical(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const keys = Object.keys(value)
  if (keys.length === 0) return value
  const own = value as Record<string, unknown>
  return Object.fromEntries(keys.sort().map((key) => [key, sorted(own[key])]))
}
