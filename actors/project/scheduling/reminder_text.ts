/** Values of a reminder's template: texts that may name fields of the appointment in braces, such as `{time}`. */
import type { Appointment, Contact } from '../../../storage/mod.ts'
import { zonedText } from './local_time.ts'

type Reminded = Pick<Appointment, 'number' | 'starts_at' | 'timezone' | 'location' | 'meeting_url'> & {
  name: Contact['name']
}

/** In the zone of the appointment and the language of the template. An empty value would be refused by the provider. */
const NOTHING = '-'
const fields = {
  name: ({ name }: Reminded) => name || NOTHING,
  number: ({ number }: Reminded) => String(number),
  date: (row: Reminded, locale: string) => format(row, locale, { dateStyle: 'long' }),
  time: (row: Reminded, locale: string) => format(row, locale, { timeStyle: 'short' }),
  starts_at: ({ starts_at, timezone }: Reminded) => zonedText(starts_at, timezone),
  timezone: ({ timezone }: Reminded) => timezone,
  location: ({ location }: Reminded) => location || NOTHING,
  meeting_url: ({ meeting_url }: Reminded) => meeting_url || NOTHING,
}

export const reminderFields = Object.keys(fields)

const FIELD = /\{([^{}]*)\}/g
/** Characters that a send takes for one variable. */
const MAX_LENGTH = 4096

/** True when all names in braces are those of fields. */
export function namesReminderFields(text: string): boolean {
  for (const [, name] of text.matchAll(FIELD)) {
    if (!Object.hasOwn(fields, name!)) return false
  }
  return true
}

/** `language`: of the template, such as `es_MX`. */
export function reminderVariables(
  variables: Record<string, string>,
  row: Reminded,
  language: string,
): Record<string, string> {
  const locale = localeOf(language)
  // Each field is computed once: formatting a date takes 50 µs, and the texts may name it 17,000 times.
  const values = new Map<string, string>()
  const compute = (name: keyof typeof fields) => {
    const value = values.get(name) ?? fields[name](row, locale)
    values.set(name, value)
    return value
  }
  const fill = (text: string) =>
    text.replace(FIELD, (whole, name: string) =>
      Object.hasOwn(fields, name) ? compute(name as keyof typeof fields) : whole,
    )
  return Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [name, inOneLine(fill(text)).slice(0, MAX_LENGTH).toWellFormed()]),
  )
}

/** The provider refuses line breaks, tabs and long runs of spaces: all white space becomes one space. */
function inOneLine(text: string): string {
  return text.split(/\s+/u).filter(Boolean).join(' ') || NOTHING
}

/** English for a language that has no rules for dates here. */
function localeOf(language: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf([language.replace('_', '-')])[0] ?? 'en'
  } catch {
    return 'en'
  }
}

function format({ starts_at, timezone }: Reminded, locale: string, style: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: timezone }).format(starts_at)
}
