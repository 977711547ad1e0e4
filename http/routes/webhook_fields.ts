import * as v from 'valibot'
import { eventTypeNames } from '../../actors/mod.ts'
import { across, itemsOf, repeated } from '../server/schema/across.ts'
import { maxCharacters, minCharacters } from '../server/schema/length.ts'
import { UNIQUE } from '../server/validation.ts'
import { type AllowUrl, headers, url } from './outbound_fields.ts'

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
