/** The office hours of a project, as operators write them and the API shows them. */
import * as v from 'valibot'
import { weekdays } from '../../../storage/mod.ts'
import { timeZoneOf } from '../../project/scheduling/local_time.ts'
import { across, fieldsOf, isCalendarDay, itemsOf, named } from '../../schema/mod.ts'

const MAX_TIMES_OF_DAY = 6
const MAX_CLOSED_DAYS = 200

const from = v.pipe(v.string(), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00'))
const to = v.pipe(
  v.string(),
  v.regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as 18:00, or 24:00'),
)

const times = v.pipe(
  v.array(v.strictObject({ from, to })),
  v.maxLength(MAX_TIMES_OF_DAY),
  across((value, say) => {
    let end = ''
    for (const [at, item] of itemsOf(value).entries()) {
      const { from, to } = fieldsOf(item)
      if (typeof from !== 'string' || typeof to !== 'string') return
      if (from >= to) say('must be later than from', [at, 'to'])
      if (from < end) say('must not be earlier than the end of the time before', [at, 'from'])
      end = to
    }
  }),
)

const date = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\d$/, 'must be a date such as 2026-12-25'),
  v.check(isCalendarDay, 'must be a day of the calendar'),
)

export const officeHoursRecord = named(
  'OfficeHours',
  v.object({
    timezone: v.string(),
    weekly: v.partial(v.object(v.entriesFromList(weekdays, v.array(v.object({ from: v.string(), to: v.string() }))))),
    closed_on: v.array(v.string()),
  }),
)

/** As operators write them. */
export const newOfficeHours = named(
  'NewOfficeHours',
  v.strictObject({
    timezone: v.pipe(
      v.string(),
      v.check(
        (text) => timeZoneOf(text) !== undefined,
        'must be a zone of the IANA database, such as America/Mexico_City',
      ),
      v.transform((text) => timeZoneOf(text)!),
      v.string(),
      v.description('IANA name of the zone whose clocks count'),
    ),
    weekly: v.pipe(
      v.partial(v.strictObject(v.entriesFromList(weekdays, times))),
      v.description('The open times of each day; a day that is left out is closed'),
    ),
    closed_on: v.optional(
      v.pipe(
        v.array(date),
        v.maxLength(MAX_CLOSED_DAYS),
        v.description('Local dates that are closed, such as holidays'),
      ),
      [],
    ),
  }),
)
