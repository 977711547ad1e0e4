import * as v from 'valibot'
import {
  across,
  eventEntryProblem,
  eventTypeNames,
  fieldsOf,
  itemsOf,
  maxCharacters,
  repeated,
  webhookFields,
  webhookMode,
} from '../../../actors/mod.ts'
import { covers } from '../../../storage/mod.ts'
import { PRESENT, UNIQUE } from '../../server/parse/validation.ts'
import { type AllowUrl, headers, url } from '../outbound_fields.ts'

/** More than there are event types. The items of a longer list are not checked. */
const MAX_EVENTS = 100

/** An event type, or a pattern such as `crm.ticket.*`. */
const eventEntry = v.pipe(
  v.string(),
  maxCharacters(100),
  v.rawCheck(({ dataset, addIssue }) => {
    const wrong = dataset.typed ? eventEntryProblem(dataset.value) : undefined
    if (wrong) addIssue({ message: wrong })
  }),
)

const events = v.pipe(
  v.array(v.unknown()),
  v.minLength(1, 'must name at least one event type'),
  v.maxLength(MAX_EVENTS),
  v.array(eventEntry),
  across((list, say) => {
    const entries = itemsOf(list).map((entry) => (typeof entry === 'string' ? entry : ''))
    for (const at of repeated(itemsOf(list))) say('is listed twice', [at], UNIQUE)
    entries.forEach((entry, at) => {
      const wider = entry && entries.find((other) => covers(other, entry))
      if (wider) say(`is one of ${wider}; leave it out`, [at], UNIQUE)
    })
  }),
)

/** Fields of requests to an address, which a polled subscription does not make. */
const PUSHED_FIELDS = ['url', 'headers', 'ordering', 'concurrency', 'ed25519', 'disable_on_410'] as const

/** A pushed subscription has an address, and a polled one has nothing that concerns an address. */
function addressed<Input>() {
  return across<Input>((value, say) => {
    const fields = fieldsOf(value)
    if (fields.mode !== 'poll') {
      if (!Object.hasOwn(fields, 'url')) say('is required', ['url'], PRESENT)
      return
    }
    for (const name of PUSHED_FIELDS) {
      if (Object.hasOwn(fields, name)) say('may not be set with mode poll, which makes no requests', [name])
    }
  })
}

/** The fields of a new subscription that were not given. */
export const webhookDefaults = {
  headers: {},
  ordering: 'none',
  concurrency: 8,
  payload: 'full',
  format: 'standard',
  ed25519: false,
  disable_on_410: false,
} as const

/** The schemas of creation and change; they differ in which fields are optional. */
export function webhookBodies(allow_url: AllowUrl) {
  const fields = v.strictObject({ ...webhookFields.entries, url: url(allow_url), events, headers })
  const { name, is_active } = fields.entries
  const create = v.strictObject({
    ...v.partial(fields).entries,
    name,
    events,
    mode: v.optional(webhookMode, 'push'),
    is_active: v.optional(is_active, true),
  })
  return { create: v.pipe(create, addressed()), update: v.partial(fields) }
}

export const eventType = v.picklist(eventTypeNames, 'must be an event type; GET /v1/webhooks/event-types lists them')

/** A former secret that was leaked should not count for longer than a week. */
export const graceSeconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(604_800))
