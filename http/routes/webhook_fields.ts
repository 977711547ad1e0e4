import * as v from 'valibot'
import { eventTypeNames } from '../../actors/mod.ts'
import { UNIQUE } from '../validation.ts'
import { dictionary } from './fields.ts'

/** Lets plain HTTP through where the operator allows it (loopback in development). */
export type AllowHttp = (url: string) => boolean

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const VALUE = /^[\x20-\x7e\t]{0,4096}$/
const MAX_HEADERS = 50

/** Those a delivery carries itself, and those that say how it is carried. */
const FORBIDDEN = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
])

const headers = v.pipe(
  dictionary(v.string()),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const input = dataset.value
    const names = Object.keys(input)
    const issue = (key: string, message: string) =>
      addIssue({ message, path: [{ type: 'object', origin: 'value', input, key, value: input[key] }] })
    if (names.length > MAX_HEADERS) addIssue({ message: `must have at most ${MAX_HEADERS} headers` })
    const seen = new Set<string>()
    for (const name of names.slice(0, MAX_HEADERS)) {
      const lower = name.toLowerCase()
      if (!NAME.test(name)) issue(name, 'is not a header name: letters, digits and hyphens, at most 128')
      else if (FORBIDDEN.has(lower) || lower.startsWith('x-svc-') || lower.startsWith('proxy-')) {
        issue(name, 'may not be set: the delivery sets it itself')
      } else if (seen.has(lower)) issue(name, 'is given twice; header names do not differ by case')
      if (!VALUE.test(input[name]!)) {
        issue(name, 'must be at most 4096 printable ASCII characters, without line breaks')
      }
      seen.add(lower)
    }
  }),
)

const events = v.pipe(
  v.array(v.picklist(eventTypeNames, 'is not an event type; GET /v1/webhooks/event-types lists them')),
  v.minLength(1, 'must name at least one event type'),
  v.rawCheck(({ dataset: { value: input }, addIssue }) => {
    // Runs beside unknown events too, so that one answer names them all.
    if (!Array.isArray(input)) return
    input.forEach((value, key) => {
      if (input.indexOf(value) === key) return
      const path: [v.ArrayPathItem] = [{ type: 'array', origin: 'value', input, key, value }]
      addIssue({ message: 'is listed twice', expected: UNIQUE, path })
    })
  }),
)

function url(allow_http: AllowHttp) {
  return v.pipe(
    v.string(),
    v.maxLength(2048),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const wrong = urlProblem(dataset.value, allow_http)
      if (wrong) addIssue({ message: wrong })
    }),
  )
}

function urlProblem(text: string, allow_http: AllowHttp): string | undefined {
  // The URL parser drops these silently; what is stored would not be what is called.
  if (/[\s\\]|\p{Cc}/u.test(text)) return 'must not contain spaces, line breaks or backslashes'
  const parsed = URL.parse(text)
  if (!parsed) return 'must be an absolute URL such as https://example.com/hooks'
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && allow_http(text))) {
    return 'must be an https:// address'
  }
  if (parsed.username || parsed.password) return 'must not contain a user name or password; use headers'
  return undefined
}

const ordering = v.picklist(['none', 'subscription', 'contact'])
const concurrency = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(64))

/** The schemas of creation and change, which differ in what may be left out. */
export function webhookBodies(allow_http: AllowHttp) {
  const name = v.pipe(v.string(), v.minLength(3), v.maxLength(120))
  const fields = { name, url: url(allow_http), events }
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
