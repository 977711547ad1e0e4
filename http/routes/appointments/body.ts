/** The bodies with which operators and agents create and change appointments. `null` clears an optional field. */
import * as v from 'valibot'
import {
  across,
  appointmentFields,
  dictionary,
  fieldsOf,
  maxCharacters,
  minCharacters,
  namesReminderFields,
  plainIdPattern,
  reminderFields,
  timeZoneOf,
} from '../../../actors/mod.ts'
import { clientTime } from '../../server/schema/instant.ts'
import { isLocalTime } from '../../server/schema/moment.ts'
import { languageCode, templateName } from '../message_types/template.ts'

/** Refusals of a body that is valid by itself. */
export const appointmentErrors = [
  'NO_CONTACT',
  'CUSTOMER_NOT_FOUND',
  'ASSIGNEE_NOT_FOUND',
  'APPOINTMENT_SLOT_TAKEN',
  'LOCAL_TIME_MISSING',
  'LOCAL_TIME_AMBIGUOUS',
  'CHANNEL_NOT_FOUND',
  'CHANNEL_NOT_CONNECTED',
  'CHANNEL_REQUIRED',
  'MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL',
  'TEMPLATE_NOT_FOUND',
  'TEMPLATE_VARIABLE_MISSING',
  'MEDIA_NOT_FOUND',
  'MEDIA_NOT_ACCEPTED',
] as const

const objectId = v.pipe(
  v.string('must be a string'),
  v.regex(plainIdPattern, 'must be an id of 24 hex digits, as returned in _id'),
  v.toLowerCase(),
)

const timezone = v.pipe(
  v.string(),
  v.check(
    (text) => timeZoneOf(text) !== undefined,
    'must be the IANA name of a time zone, such as America/Mexico_City or UTC',
  ),
  v.transform((text) => timeZoneOf(text)!),
)

const variable = v.pipe(
  v.string(),
  minCharacters(1),
  maxCharacters(1024),
  v.check(
    namesReminderFields,
    `may name these fields in braces: ${reminderFields.map((name) => `{${name}}`).join(', ')}`,
  ),
)

const reminder = v.strictObject({
  hours_before: v.pipe(
    v.number(),
    v.finite('must be a finite number'),
    v.minValue(0.05),
    v.maxValue(8784),
    v.description('Hours before the beginning; fractions are allowed'),
  ),
  template_name: templateName,
  template_language: languageCode,
  variables: v.optional(
    v.pipe(dictionary(variable, 100), v.description('Values of the template; they may name fields such as {time}')),
    {},
  ),
  channel_id: v.optional(v.nullable(objectId), null),
})

const optional = {
  ...v.partial(appointmentFields).entries,
  chat_user: v.optional(v.nullable(v.pipe(objectId, v.description('A contact of the project')))),
  customer_id: v.optional(v.nullable(objectId)),
  assigned_to: v.optional(v.nullable(v.pipe(objectId, v.description('A user of the company')))),
  reminder: v.optional(v.nullable(reminder)),
}

const times = ['starts_at', 'ends_at'] as const

/** The body of a new appointment, with further `fields`. */
export const newAppointment = <Fields extends v.ObjectEntries>(fields: Fields) =>
  v.pipe(
    v.strictObject({
      ...fields,
      starts_at: clientTime,
      ends_at: clientTime,
      timezone: v.optional(timezone),
      ...optional,
    }),
    // A raw check sees the values of the fields before they are transformed where one of them is invalid, else after.
    across((value, say) => {
      const sent = fieldsOf(value)
      if (sent.timezone !== undefined) return
      for (const name of times) if (isLocal(sent[name])) say('is a local time, which needs a timezone', [name])
    }),
    v.transform(({ timezone = 'UTC', ...fields }) => ({ timezone, ...fields })),
  )

export const changedAppointment = v.strictObject({
  starts_at: v.optional(clientTime),
  ends_at: v.optional(clientTime),
  timezone: v.optional(timezone),
  ...optional,
})

function isLocal(time: unknown): boolean {
  return typeof time === 'string' ? isLocalTime(time) : 'local' in fieldsOf(time)
}
