import * as v from 'valibot'
import { eventTypeNames, headerViolations } from '../../actors/mod.ts'
import { across, fieldsOf, itemsOf, repeated } from '../server/schema/across.ts'
import { dictionary } from '../server/schema/fields.ts'
import { maxCharacters, minCharacters } from '../server/schema/length.ts'
import { UNIQUE } from '../server/validation.ts'

/**
 * True when deliveries may go to this URL, judged without DNS: no private address, and plain HTTP only where the
 * operator allows it (loopback in development).
 */
export type AllowUrl = (url: string) => boolean

const headers = v.pipe(
  dictionary(v.string()),
  across((value, say) => {
    const texts = Object.entries(fieldsOf(value)).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    )
    const headers = Object.fromEntries(texts)
    for (const { name, message } of headerViolations(headers)) say(message, Object.hasOwn(headers, name) ? [name] : [])
  }),
)

/** More than there are event types. The items of a longer list are not checked. */
const MOST_EVENTS = 100

const events = v.pipe(
  v.array(v.unknown()),
  v.minLength(1, 'must name at least one event type'),
  v.maxLength(MOST_EVENTS),
  v.array(v.picklist(eventTypeNames, 'is not an event type; GET /v1/webhooks/event-types lists them')),
  across((list, say) => {
    for (const at of repeated(itemsOf(list))) say('is listed twice', [at], UNIQUE)
  }),
)

const name = v.pipe(
  v.string(),
  minCharacters(3),
  maxCharacters(120),
  v.check((text) => text.trim() !== '', 'must not be blank'),
  v.check((text) => !/\p{Cc}/u.test(text.trim()), 'must be one line, without control characters'),
)

function url(allow_url: AllowUrl) {
  return v.pipe(
    v.string(),
    maxCharacters(2048),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const wrong = urlProblem(dataset.value, allow_url)
      if (wrong) addIssue({ message: wrong })
    }),
  )
}

function urlProblem(text: string, allow_url: AllowUrl): string | undefined {
  // The URL parser corrects these silently, and the stored URL would then differ from the called one.
  if (/[\s\\]|\p{Cc}/u.test(text)) return 'must not contain spaces, line breaks or backslashes'
  const parsed = URL.parse(text)
  if (!parsed || /^https?:(?!\/\/[^/])/i.test(text)) return 'must be an absolute URL such as https://example.com/hooks'
  const is_https = parsed.protocol === 'https:'
  if (!is_https && parsed.protocol !== 'http:') return HTTPS_RULE
  if (parsed.username || parsed.password) return 'must not contain a user name or password; use headers'
  if (text.includes('#')) return 'must not contain a fragment (#…), which is never sent'
  if (allow_url(text)) return undefined
  return is_https ? 'must lead to an address on the public Internet' : HTTPS_RULE
}

const HTTPS_RULE = 'must be an https:// address'

const ordering = v.picklist(['none', 'subscription', 'contact'])
const concurrency = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(64))

/** The schemas of creation and change; they differ in which fields are optional. */
export function webhookBodies(allow_url: AllowUrl) {
  const fields = { name, url: url(allow_url), events }
  return {
    create: v.strictObject({
      ...fields,
      headers: v.optional(headers, {}),
      is_active: v.optional(v.boolean(), true),
      ordering: v.optional(ordering, 'none'),
      concurrency: v.optional(concurrency, 8),
    }),
    update: v.partial(v.strictObject({ ...fields, headers, is_active: v.boolean(), ordering, concurrency })),
  }
}

export const eventType = v.picklist(eventTypeNames, 'must be an event type; GET /v1/webhooks/event-types lists them')
