/** Values of a reminder's template: texts that may name fields of the appointment in braces, such as `{time}`. */
import type { Appointment } from '../../../storage/mod.ts'
import { zonedText } from './local_time.ts'

type Reminded = Pick<Appointment, 'number' | 'starts_at' | 'timezone' | 'location' | 'meeting_url'>

/** Each field in the zone of the appointment and the language of the template. */
const fields = {
  number: ({ number }: Reminded) => String(number),
  date: (row: Reminded, locale: string) => format(row, locale, { dateStyle: 'long' }),
  time: (row: Reminded, locale: string) => format(row, locale, { timeStyle: 'short' }),
  starts_at: ({ starts_at, timezone }: Reminded) => zonedText(starts_at, timezone),
  timezone: ({ timezone }: Reminded) => timezone,
  location: ({ location }: Reminded) => location ?? '',
  meeting_url: ({ meeting_url }: Reminded) => meeting_url ?? '',
}

export const reminderFields = Object.keys(fields)

const FIELD = /\{([^{}]*)\}/g

/** The names in braces that are no fields. */
export function unknownReminderFields(text: string): string[] {
  return [...text.matchAll(FIELD)].map(([, name]) => name!).filter((name) => !Object.hasOwn(fields, name))
}

/** `language`: of the template, such as `es_MX`. */
export function reminderVariables(
  variables: Record<string, string>,
  row: Reminded,
  language: string,
): Record<string, string> {
  const locale = language.replace('_', '-')
  const fill = (text: string) =>
    text.replace(FIELD, (whole, name: string) =>
      Object.hasOwn(fields, name) ? fields[name as keyof typeof fields](row, locale) : whole,
    )
  return Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, fill(text)]))
}

/** In English where the language of the template has no name for it. */
function format({ starts_at, timezone }: Reminded, locale: string, style: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat([locale, 'en'], { ...style, timeZone: timezone }).format(starts_at)
}
